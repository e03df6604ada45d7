// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "framework/base/spin_mutex.hpp"
#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// What is handed over without a handler's call: the next message or none, to the last byte and no further.

namespace hawser::check {

namespace {

constexpr std::size_t kSizes[] = {0, 1, 3, 4, 8, 15, 16, 33, 39, 40, 41, 64, 300};  // bytes
constexpr std::uint32_t kCount = 1300;
constexpr std::size_t kBehind = 64;  // bytes of memory beyond the room
constexpr unsigned char kUnset = 0xee;

Stamp stamp_of(std::uint32_t number) noexcept {
  return {number, 0, kSizes[number % std::size(kSizes)]};
}

/// As in a program with one thread: only there is anything taken.
class OneThread {
 public:
  OneThread() noexcept : before_(std::exchange(g_many_threads, false)) {}
  ~OneThread() { g_many_threads = before_; }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const bool before_;
};

/// Messages in turn, of which some are taken and the others delivered.
class Turns {
 public:
  Turns(Rank& self, btl::Reach::Rail way, btl::Taker& taker) noexcept
      : self_(self), way_(way), taker_(taker) {}

  std::uint32_t next() const noexcept { return next_; }
  std::uint32_t taken() const noexcept { return taken_; }

  /// What was delivered since the last call is the next ones.
  void see_delivered() {
    for (; seen_ < self_.arrivals().size(); ++seen_, ++next_) {
      const std::uint32_t number = self_.arrivals()[seen_].stamp.number;
      require(number == next_, "message {} was delivered where message {} was due; {} were taken before",
              number, next_, taken_);
    }
  }
  /// Not the next one, or with a tag or in a room that are not its.
  void ask_wrongly() {
    Stamp stamp = stamp_of(next_);
    if (stamp.size != 0) expect_none(ask(stamp, kTag, stamp.size - 1), "the room was too small for");
    expect_none(ask(stamp, kPlacedTag, stamp.size), "another tag was asked for than that of");
    stamp.number += 1;
    expect_none(ask(stamp, kTag, 1000), "the header of another was asked for than that of");
  }
  void ask() {
    const Stamp stamp = stamp_of(next_);
    const std::ptrdiff_t size = ask(stamp, kTag, stamp.size);
    if (size < 0) return;
    require(static_cast<std::uint64_t>(size) == stamp.size, "message {} of {} bytes was taken as one of {}",
            next_, stamp.size, size);
    const bool whole = std::ranges::equal(make_data(stamp), std::span(memory_).first(stamp.size));
    require(whole, "message {} of {} bytes was taken with other bytes than were sent", next_, stamp.size);
    ++next_;
    ++taken_;
    note_move();
  }

 private:
  std::ptrdiff_t ask(const Stamp& stamp, btl::Tag tag, std::size_t room) {
    memory_.assign(room + kBehind, kUnset);
    const std::size_t delivered = self_.arrivals().size();
    const std::ptrdiff_t size =
        taker_.take(*way_.endpoint, {&stamp, sizeof stamp, tag}, memory_.data(), room, 16);
    require(self_.arrivals().size() == delivered, "a handler was called by `take`");
    const std::size_t written = size < 0 ? 0 : static_cast<std::size_t>(size);
    const auto behind = std::span(memory_).subspan(std::min(written, room));
    const bool alone = std::ranges::all_of(behind, [](unsigned char byte) { return byte == kUnset; });
    require(alone, "`take` answered {} and wrote more than that", size);
    return size;
  }
  void expect_none(std::ptrdiff_t size, const char* why) const {
    require(size < 0, "{} bytes were taken, and {} message {}", size, why, next_);
  }

  Rank& self_;
  const btl::Reach::Rail way_;
  btl::Taker& taker_;
  std::vector<unsigned char> memory_;
  std::uint32_t next_ = 0;   // number of the message that is due
  std::uint32_t taken_ = 0;  // of those before it
  std::size_t seen_ = 0;     // arrivals
};

btl::Taker& taker_of(Rank& self, btl::Reach::Rail way) {
  const bool may = self.minor() >= 2 && (self.attributes().flags & btl::kFlagTakes) != 0;
  btl::Taker* taker = may ? way.module->taker(*way.endpoint) : nullptr;
  if (!taker) {
    self.barrier("the first contact of the other rank");  // who left now could not be reached
    skip("it has no btl::Taker");
  }
  return *taker;
}

void takes_the_next_or_none(Rank& self) {
  const OneThread one_thread;
  self.open();
  const btl::Reach::Rail way = self.rail();
  Turns turns(self, way, taker_of(self, way));
  std::uint32_t sent = 0;
  const std::uint64_t received_before = self.counter("messages_received");
  self.until(
      [&] {
        if (self.sends() && sent < kCount && self.try_sendi(stamp_of(sent)) == btl::Posted::kDone) ++sent;
        if (self.receives()) {
          turns.see_delivered();
          if (turns.next() % 3 == 0) turns.ask_wrongly();
          if (turns.next() % 3 == 1) turns.ask();
        }
        return self.receives() ? turns.next() == kCount : sent == kCount;
      },
      "messages to be sent, and taken or delivered");
  if (self.receives()) {
    const std::uint64_t counted = self.counter("messages_received") - received_before;
    expect(counted == kCount, "{} messages were received, {} of them taken; the module counted {}", kCount,
           turns.taken(), counted);
  }
  self.finish();
}

void takes_none_from_a_rail_given_up(Rank& self) {
  constexpr std::size_t kSent = 4;  // flag
  const OneThread one_thread;
  self.open();
  self.meet();
  const btl::Reach::Rail way = self.rail();
  btl::Taker& taker = taker_of(self, way);
  if (self.sends()) self.say({1, 0, 8});
  if (!self.receives()) {
    self.set_flag(kSent);
    self.until([&] { return self.flag(kSent + 1) != 0; }, "the other rank");
    return self.close();
  }
  if (self.ranks() > 1) self.stand_still([&] { return self.flag(kSent) != 0; });
  way.module->abandon(*way.endpoint);
  const Stamp stamp{1, 0, 8};
  unsigned char memory[8];
  for (int i = 0; i < 1000; ++i) {
    const std::ptrdiff_t size =
        taker.take(*way.endpoint, {&stamp, sizeof stamp, kTag}, memory, sizeof memory, 1);
    require(size == -1, "{} bytes were taken from a rail that was given up", size);
    self.pass();
  }
  self.set_flag(kSent + 1);
  self.close();
}

constexpr Check kChecks[] = {
    {"take.next_or_none",
     "A taker hands over the next message, whole and once, if it is the one that is asked for and has room; "
     "else it does nothing, and the message is delivered in its turn.",
     kBoth, &takes_the_next_or_none},
    {"take.none_after_abandon", "From a rail that was given up a taker takes nothing.", kBoth,
     &takes_none_from_a_rail_given_up},
};

}  // namespace

std::span<const Check> take_checks() {
  return kChecks;
}

}  // namespace hawser::check
