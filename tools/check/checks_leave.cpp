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

constexpr std::size_t kReady = 4, kDone = 5;

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

/// Posts until there is no room, the last ones as small as can be, and lets the other side take just as many
/// as it needs for all that was taken to be flushed: then what is between the two is full.
void fill_the_way(Rank& self) {
  constexpr std::uint32_t kMost = 1u << 16;
  for (const std::uint64_t size : {1000, 0}) {
    for (std::uint32_t i = 1; i < kMost && self.try_sendi({i, 0, size}) == btl::Posted::kDone; ++i) {
    }
  }
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
    self.set_flag(kReady, kClosing);
    self.close();
    self.set_flag(kDone);
    return;  // the process ends
  }
  std::uint64_t taken = 0;
  while (self.flag(kReady) < kClosing) {
    if (self.board().over.load()) throw Stop{};
    if (self.flag(kReady) > taken) ++taken, self.pass();
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
