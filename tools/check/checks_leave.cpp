// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// Ends, as the other side sees them.

namespace hawser::check {

namespace {

constexpr std::size_t kReady = 4, kDone = 5, kStands = 6, kTaken = 7;

// Nothing else tells the other side that its messages lead nowhere from now on.
void abandon_is_told(Rank& self) {
  self.open();
  self.meet();
  if (self.own() == 1) {
    const auto way = self.rail();
    way.module->abandon(*way.endpoint);
    self.until([&] { return self.flag(kReady) != 0; }, "the other rank to hear of a rail that was given up");
    return self.close();
  }
  self.until([&] { return !self.host().failures().empty(); },
             "the report of a rail that the other side gave up with abandon");
  self.passes(500);
  require(self.host().failures().size() == 1, "the other side gave up one rail, and {} were reported",
          self.host().failures().size());
  const Host::Failure& failure = self.host().failures().front();
  expect(failure.rank == 1 && failure.status != Errc::kOk && !failure.text.empty(),
         "a rail that was given up is reported for rank {}, with status \"{}\" and the text \"{}\"",
         failure.rank, to_text(failure.status), failure.text);
  const Stamp stamp{1, 0, 0};
  const btl::Posted posted =
      failure.module->sendi(*failure.endpoint, {&stamp, sizeof stamp, kTag}, nullptr, 0);
  expect(posted == btl::Posted::kUnreachable, "a post on a rail that the other side gave up answered {}",
         to_text(posted));
  self.set_flag(kReady);
  self.close();
}

/// One message more, with some tries for it. Whether it was taken, and then whether it left this process,
/// though the other side takes nothing.
struct Gone {
  bool taken;
  bool flushed;
};
Gone one_more(Rank& self, std::uint64_t size) {
  constexpr int kTries = 50;
  btl::Posted posted = btl::Posted::kNoResource;
  for (int i = 0; i < kTries && posted == btl::Posted::kNoResource; ++i) {
    posted = self.try_sendi({0, 0, size});
    self.pass();
  }
  for (int i = 0; i < kTries && !self.component().flushed(); ++i) self.pass();
  return {posted == btl::Posted::kDone, self.component().flushed()};
}

constexpr std::uint64_t kSizes[] = {1000, 0};
constexpr std::size_t kRounds = std::size(kSizes);

/// Finds out how many messages of each size go out while the other side takes nothing, and, once it has taken
/// all, sends as many again: so what is between the two is full, and nothing waits in this process. A round
/// for each size, the smallest last.
void fill_the_way(Rank& self) {
  constexpr std::uint32_t kMost = 1u << 15;
  std::uint32_t gone[kRounds] = {};
  std::uint64_t taken = 1;  // that of meet
  for (std::size_t round = 0; round <= kRounds; ++round) {
    self.until([&] { return self.flag(kStands) > round; }, "the other rank to have taken all");
    for (std::size_t s = 0; s < round; ++s) {
      Gone one{true, true};
      for (std::uint32_t i = 0; i < gone[s] && one.taken && one.flushed; ++i, taken += one.taken ? 1 : 0)
        one = one_more(self, kSizes[s]);
    }
    if (round == kRounds) return;
    for (Gone one{true, true}; one.taken && one.flushed && gone[round] < kMost; taken += one.taken ? 1 : 0) {
      one = one_more(self, kSizes[round]);
      gone[round] += one.taken && one.flushed ? 1 : 0;
    }
    self.set_flag(kTaken + round, taken);
  }
}

/// A way that is smaller now: the other side takes just as many as it needs for all to be flushed.
void flush_with_help(Rank& self) {
  self.until(
      [&] {
        for (int i = 0; i < 100 && !self.component().flushed(); ++i) self.pass();
        const bool flushed = self.component().flushed();
        if (!flushed) self.board().flags[kReady].fetch_add(1);  // the other side takes some
        return flushed;
      },
      "everything to be flushed");
}

void goodbye_finds_room(Rank& self) {
  constexpr std::uint64_t kClosing = std::uint64_t{1} << 40;
  self.open();
  self.meet();
  if (self.own() == 0) {
    fill_the_way(self);
    flush_with_help(self);
    self.set_flag(kReady, kClosing);
    self.close();
    self.set_flag(kDone);
    return;  // the process ends
  }
  self.set_flag(kStands, 1);  // not before: a barrier may still make progress when the other has left it
  for (std::size_t round = 0; round < kRounds; ++round) {
    self.stand_still([&] { return self.flag(kTaken + round) != 0; });
    self.await(self.flag(kTaken + round));
    self.passes(100);
    self.set_flag(kStands, round + 2);
  }
  for (std::uint64_t helped = 0; self.flag(kReady) < kClosing; ++helped) {
    self.stand_still([&] { return self.flag(kReady) > helped; });
    if (self.flag(kReady) < kClosing) self.pass();
  }
  // Whoever tries once and no more is done by now, and was in vain.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  self.until([&] { return self.flag(kDone) != 0; }, "the other's close");
  self.passes(2000);
  for (const Host::Failure& failure : self.host().failures())
    fail("a peer that closed while the way was full, and all was flushed, was reported as a failure: " +
         failure.text);
  self.close();
}

void release_is_no_failure(Rank& self) {
  self.open();
  self.meet();
  self.until([&] { return self.component().flushed(); }, "everything to be flushed");
  self.barrier("all was said");
  if (self.own() == 0) {
    self.component().release_peer(1);
    self.set_flag(kReady);
    self.until([&] { return self.flag(kDone) != 0; }, "the other rank");
    return self.close();
  }
  self.until([&] { return self.flag(kReady) != 0; }, "the other's release_peer");
  self.passes(1000);
  for (const Host::Failure& failure : self.host().failures())
    fail("a peer that let this rank go was reported as a failure: " + failure.text);
  self.set_flag(kDone);
  self.close();
}

// The sender dies with much on its way, perhaps in the middle of a message.
void placed_is_given_up(Rank& self) {
  constexpr std::size_t kMany = 32u << 20;  // bytes
  self.open();
  self.meet();
  if (self.own() == 1) {
    std::deque<Parcel> parcels;
    const std::size_t size = self.attributes().max_send_size;
    for (std::uint32_t i = 1; i < 256 && i * size < kMany; ++i) {
      Parcel& parcel = parcels.emplace_back();
      parcel.fill({i, 0, size});
      parcel.tag = kPlacedTag;
      const btl::Posted posted = self.try_send(parcel);
      if (posted == btl::Posted::kNoResource || posted == btl::Posted::kUnreachable) break;
    }
    ::kill(::getpid(), SIGKILL);
  }
  self.until([&] { return !self.host().failures().empty(); }, "the report of a peer that was killed");
  self.passes(500);
  self.close();
  expect(self.places_open() == 0,
         "places were given for {} messages that neither came nor were given up when their rail failed",
         self.places_open());
}

constexpr Check kChecks[] = {
    {"end.abandon_is_told", "After abandon the peer reports that rail as failed, once.", kPair,
     &abandon_is_told},
    {"end.goodbye_finds_room",
     "A peer that closes when all is flushed is no failure, even if nothing more finds room on the way to "
     "it.",
     kPair, &goodbye_finds_room},
    {"end.release_is_no_failure", "A peer that lets this rank go with release_peer is no failure.", kPair,
     &release_is_no_failure},
    {"end.placed_is_given_up",
     "A message that has a place and does not come any more, since its rail failed, is given up with "
     "Handler::abandon.",
     kPair, &placed_is_given_up, nullptr, 1},
};

}  // namespace

std::span<const Check> leave_checks() {
  return kChecks;
}

}  // namespace hawser::check
