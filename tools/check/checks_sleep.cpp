// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// Going to sleep: nobody who sleeps misses a message, or room.

namespace hawser::check {

namespace {

constexpr int kLimitMs = 5000;  // a sleep that lasts so long was not ended by what it waited for

// Of a component that is slow, as one with faults on purpose; others send all that is to be sent before.
constexpr std::chrono::seconds kLongEnough{2};

int limit_ms(const Rank& self) {
  return std::min(kLimitMs, static_cast<int>(self.subject().patience.count()) * 1000);
}

template <class Done>
void sleep_until(Rank& self, Done&& done, const char* what) {
  while (!done()) {
    if (self.board().over.load()) throw Stop{};
    const auto slept = self.sleep(limit_ms(self));
    require(slept < limit_ms(self), "slept through {}: arm answered true, and nothing woke the process",
            what);
    self.passes(3);
  }
}

void idle_is_idle(Rank& self) {
  self.open();
  self.meet();
  bool idle = false;
  for (int i = 0; i < 200 && !idle; ++i) {
    self.passes(100);
    idle = self.component().arm();
    self.component().disarm();
  }
  expect(idle, "arm says that there is work, 200 times, without any");
  self.finish();
}

void ping_pong_of_sleepers(Rank& self) {
  self.open();
  constexpr std::uint32_t kRounds = 2000;
  self.rail();
  self.barrier("first contact");
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    if (self.own() == 0) self.say({i, 0, i % 100});
    sleep_until(
        self, [&] { return self.arrivals().size() > i; }, "a message");
    if (self.own() == 1) self.say({i, 0, i % 100});
  }
  self.finish();
}

void every_message_ends_a_sleep(Rank& self) {
  self.open();
  self.rail();
  self.barrier("first contact");
  for (std::uint32_t i = 0; i < 200; ++i) {
    if (self.sends()) self.say({i, 0, 8});
    if (self.receives())
      sleep_until(
          self, [&] { return self.arrivals().size() > i; }, "a message");
  }
  self.finish();
}

void room_wakes_a_sender(Rank& self) {
  self.open();
  constexpr std::uint32_t kMost = 2000;
  constexpr std::size_t kLast = 0;  // flag: as many messages are sent in all
  const std::size_t size = self.attributes().eager_limit;
  self.barrier("first contact");
  if (self.sends()) {
    const Deadline enough = deadline_in(kLongEnough);
    for (std::uint32_t i = 0; self.flag(kLast) == 0; ++i) {
      const bool is_last = i + 1 == kMost || (self.refusals() != 0 && Clock::now() > enough);
      if (is_last) self.set_flag(kLast, i + 1);  // before the message, which ends the sleep of its receiver
      while (self.try_sendi({i, 0, size}) == btl::Posted::kNoResource) {
        if (self.board().over.load()) throw Stop{};
        const auto slept = self.sleep(limit_ms(self));
        require(slept < limit_ms(self), "a sender without room slept on when there was room again");
        self.passes(3);
      }
    }
  } else {
    sleep_until(
        self, [&] { return self.flag(kLast) != 0 && self.arrivals().size() >= self.flag(kLast); },
        "messages");
  }
  self.finish();
}

constexpr Check kChecks[] = {
    {"sleep.idle_is_idle", "arm answers true once there is nothing to do.", kBoth, &idle_is_idle},
    {"sleep.message_wakes", "A message that arrives ends the sleep of its receiver, whenever it comes.",
     kPair, &ping_pong_of_sleepers},
    {"sleep.no_message_is_missed",
     "A message that came before or during arm makes it answer false, or ends the sleep.", kBoth,
     &every_message_ends_a_sleep},
    {"sleep.room_wakes", "A sender that was refused is woken when there is room.", kPair,
     &room_wakes_a_sender},
};

}  // namespace

std::span<const Check> sleep_checks() {
  return kChecks;
}

}  // namespace hawser::check
