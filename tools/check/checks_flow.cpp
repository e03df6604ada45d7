// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// Room: what happens when there is none, and that what was taken is neither lost nor doubled.

namespace hawser::check {

namespace {

constexpr std::size_t kFlood = 4096;  // messages, if the component never refuses
constexpr std::size_t kAccepted = 0, kTold = 1;

std::uint32_t accepted_of(Rank& self) {
  return static_cast<std::uint32_t>(self.flag(kAccepted));
}

void tell_accepted(Rank& self, std::uint32_t count) {
  self.set_flag(kAccepted, count);
  self.set_flag(kTold);
}

// Without progress, so that what was sent stays where it is.
void stand_still(Rank& self) {
  while (self.flag(kTold) == 0) {
    if (self.board().over.load()) throw Stop{};
  }
}

void receive_what_was_accepted(Rank& self) {
  self.until([&] { return self.flag(kTold) != 0; }, "the end of the flood");
  const std::uint32_t accepted = accepted_of(self);
  self.await(accepted);
  self.passes(100);
  require(self.arrivals().size() == accepted,
          "{} messages were taken and {} arrived: a refused one came, or one came twice", accepted,
          self.arrivals().size());
  self.expect_each_once(accepted);
}

void immediate_until_refused(Rank& self) {
  self.open();
  self.rail();
  self.barrier("first contact");
  if (self.sends()) {
    std::uint32_t accepted = 0;
    while (accepted < kFlood) {
      const btl::Posted posted = self.try_sendi({accepted, 0, 64});
      if (posted == btl::Posted::kNoResource) break;
      require(posted == btl::Posted::kDone, "an immediate send answered {}", self.told(posted));
      ++accepted;
    }
    tell_accepted(self, accepted);
  } else {
    stand_still(self);
  }
  if (self.receives()) receive_what_was_accepted(self);
  self.barrier("drained");
  if (self.sends()) self.say({accepted_of(self), 0, 64});
  if (self.receives()) self.await(accepted_of(self) + std::size_t{1});
  self.finish();
}

std::size_t completed(const std::deque<Parcel>& parcels) {
  std::size_t sum = 0;
  for (auto& parcel : parcels) sum += static_cast<std::size_t>(parcel.completions.load());
  return sum;
}

// How many pend.
std::size_t flood(Rank& self, std::deque<Parcel>& parcels, std::size_t size) {
  std::size_t pending = 0;
  std::uint32_t accepted = 0;
  while (accepted < 256) {
    Parcel& parcel = parcels.emplace_back();
    parcel.fill({accepted, 0, size}, 24, 3);
    const btl::Posted posted = self.try_send(parcel);
    if (posted == btl::Posted::kNoResource) {
      expect(parcel.completions.load() == 0, "a refused post was completed");
      expect(parcel.untouched(), "a refused post changed its descriptor");
      parcel.scribble();  // it left nothing behind that reads it
      break;
    }
    pending += posted == btl::Posted::kPending;
    if (posted == btl::Posted::kDone) parcel.scribble();
    ++accepted;
  }
  tell_accepted(self, accepted);
  return pending;
}

void described_until_refused(Rank& self) {
  self.open();
  // Every byte is looked at: a limit of megabytes would only take time.
  const std::size_t size = std::min<std::size_t>(self.attributes().max_send_size, 65536);
  self.barrier("first contact");
  std::deque<Parcel> parcels;
  std::size_t pending = 0;
  if (self.sends()) {
    pending = flood(self, parcels, size);
  } else {
    stand_still(self);
  }
  if (self.receives()) receive_what_was_accepted(self);
  if (self.sends()) {
    self.until([&] { return completed(parcels) >= pending; }, "all completions");
    self.passes(100);
    expect(completed(parcels) == pending, "{} posts pended, and {} were completed", pending,
           completed(parcels));
  }
  self.finish();
}

// Small and large, immediate and described, refused and posted again: nothing overtakes what was taken.
void mixed_and_refused_in_order(Rank& self) {
  self.open();
  constexpr std::uint32_t kCount = 3000;
  const std::size_t limit = self.attributes().max_send_size;
  if (self.sends()) {
    std::deque<Parcel> parcels;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const std::size_t large = std::min<std::size_t>(limit, 300'000) + 1;
      const std::size_t size = (i * 7919ull) % (i % 10 == 0 ? large : std::min<std::size_t>(limit, 300));
      if (i % 3 == 0 && size <= self.attributes().eager_limit) {
        self.say({i, 0, size});
        continue;
      }
      Parcel& parcel = parcels.emplace_back();
      parcel.fill({i, 0, size}, 24, 1 + i % 4);
      if (self.send_whole(parcel) == btl::Posted::kDone) parcels.pop_back();
    }
    for (Parcel& parcel : parcels) self.settle(parcel, btl::Posted::kPending);
  }
  if (self.receives()) {
    self.await(kCount);
    self.expect_each_once(kCount);
  }
  self.finish();
}

void counters_add_up(Rank& self) {
  self.open();
  constexpr std::uint32_t kCount = 1000;
  constexpr std::size_t kSize = 333;
  const auto must = [&](const char* name, std::uint64_t wanted) {
    const std::uint64_t seen = self.counter(name);
    expect(seen == wanted, "counter {} says {}; it was {}", name, seen, wanted);
  };
  const std::size_t size = std::min<std::size_t>(kSize, self.attributes().eager_limit);
  if (self.sends()) {
    for (std::uint32_t i = 0; i < kCount; ++i) self.say({i, 0, size});
    must("messages_sent", kCount);
    must("bytes_sent", kCount * size);
    must("no_resource", self.refusals());
  }
  if (self.receives()) {
    self.await(kCount);
    must("messages_received", kCount);
    must("bytes_received", kCount * size);
  }
  self.finish();
}

// Once flushed says yes, the end of the sender takes nothing with it.
void flushed_means_with_the_peer(Rank& self) {
  self.open();
  self.meet();
  if (self.own() == 1) {
    for (std::uint32_t i = 1; i <= 5; ++i) self.say({i, 1, 100});
    self.until([&] { return self.component().flushed(); }, "everything to be flushed");
    ::kill(::getpid(), SIGKILL);
  }
  self.until([&] { return !self.host().failures().empty(); }, "the report of the peer's end");
  expect(self.arrivals().size() == 6, "5 messages were flushed before their sender ended, and {} arrived",
         self.arrivals().size() - 1);
  self.close();
}

// Nothing is posted after it that would take it along.
void kept_back_goes_out(Rank& self) {
  self.open();
  self.meet();
  const auto came = [&](std::uint64_t count) {
    if (self.receives()) self.set_flag(0, self.arrivals().size() - 1);
    return self.flag(0) >= count;
  };
  if (self.sends()) {
    const Stamp stamp{0, 0, 0};
    const auto way = self.rail();
    btl::Posted posted = btl::Posted::kNoResource;
    const auto taken = [&] {
      posted = way.module->sendi(*way.endpoint, {&stamp, sizeof stamp, kTag, true}, nullptr, 0);
      return posted != btl::Posted::kNoResource;
    };
    self.until(taken, "room for a message that may wait");
    require(posted == btl::Posted::kDone, "an immediate send that may wait answered {}", self.told(posted));
    self.until([&] { return came(1); }, "an immediate message that may wait for the next pass");
    Parcel parcel;
    parcel.fill({1, 0, 0});
    parcel.may_wait = true;
    self.settle(parcel, self.send_whole(parcel));
  }
  self.until([&] { return came(2); }, "a described message that may wait for the next pass");
  self.finish();
}

constexpr Check kChecks[] = {
    {"flow.immediate_refused_cleanly",
     "An immediate send that finds no room answers no resource and has no effect; after progress there is "
     "room "
     "again.",
     kBoth, &immediate_until_refused},
    {"flow.described_refused_cleanly",
     "A described send that finds no room answers no resource, is not sent, not completed, and leaves its "
     "descriptor as it was.",
     kBoth, &described_until_refused},
    {"flow.order_survives_refusals",
     "What was taken is not overtaken by what is posted later, whatever was refused in between.", kBoth,
     &mixed_and_refused_in_order},
    {"flow.counters_add_up",
     "messages_sent, bytes_sent, messages_received, bytes_received and no_resource say what happened.", kBoth,
     &counters_add_up},
    {"flow.flushed_is_delivered",
     "What was handed over before flushed answers true arrives, even if the sender is killed right after.",
     kPair, &flushed_means_with_the_peer, nullptr, 1},
    {"flow.kept_back_goes_out",
     "A message that may wait goes out in the passes that follow, though nothing is posted after it.", kBoth,
     &kept_back_goes_out},
};

}  // namespace

std::span<const Check> flow_checks() {
  return kChecks;
}

}  // namespace hawser::check
