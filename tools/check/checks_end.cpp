// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// Ends: in good order, with work pending, and by the death of the peer.

namespace hawser::check {

namespace {

constexpr std::size_t kReady = 4;

int entries_of(const char* path) {
  int count = 0;
  if (DIR* folder = ::opendir(path)) {
    while (::readdir(folder)) ++count;
    ::closedir(folder);
  }
  return count;
}

/// Posts descriptors until one is refused, or many are out; how many pend.
std::size_t fill_up(Rank& self, std::deque<Parcel>& parcels) {
  constexpr std::size_t kMany = 32u << 20;  // bytes
  const std::size_t size = self.attributes().max_send_size;
  std::size_t pending = 0;
  for (std::uint32_t i = 0; i < 256 && i * size < kMany; ++i) {
    Parcel& parcel = parcels.emplace_back();
    parcel.fill({i, 0, size});
    const btl::Posted posted = self.try_send(parcel);
    if (posted == btl::Posted::kNoResource || posted == btl::Posted::kUnreachable) break;
    pending += posted == btl::Posted::kPending;
  }
  return pending;
}

std::size_t completed(const std::deque<Parcel>& parcels) {
  std::size_t sum = 0;
  for (const Parcel& parcel : parcels) sum += static_cast<std::size_t>(parcel.completions.load());
  return sum;
}

void wait_without_progress(Rank& self) {
  while (self.flag(kReady) == 0) {
    if (self.board().over.load()) throw Stop{};
  }
}

/// Whether that process is a zombie or gone.
bool ended(std::uint32_t pid) {
  char state = 'Z';
  if (FILE* file = std::fopen(fmt::format("/proc/{}/stat", pid).c_str(), "r")) {
    if (std::fscanf(file, "%*d %*s %c", &state) != 1) state = 'Z';
    std::fclose(file);
  }
  return state == 'Z' || state == 'X';
}

void good_order_is_no_failure(Rank& self) {
  self.open();
  self.meet();
  self.until([&] { return self.component().flushed(); }, "everything to be flushed");
  self.barrier("all was said");
  if (self.own() == 1) {
    self.close();
    self.set_flag(kReady);
    return;  // the process ends
  }
  self.until([&] { return self.flag(kReady) != 0; }, "the other's close");
  self.until([&] { return ended(self.board().shelves[1].pid); }, "the other's end");
  self.passes(1000);
  for (const Host::Failure& failure : self.host().failures())
    fail("a peer that closed and ended was reported as a failure: " + failure.text);
  expect(self.host().complaints() == 0, "a peer's end in good order was logged: {}",
         self.host().last_complaint());
  self.close();
}

void expect_of_rank_1(const Host::Failure& failure, const btl::Reach& reached) {
  expect(failure.rank == 1, "the failure names rank {}; it was 1", failure.rank);
  const auto* end = reached.rails + reached.count;
  const bool ours = std::any_of(reached.rails, end, [&](const btl::Reach::Rail& rail) {
    return rail.module == failure.module && rail.endpoint == failure.endpoint;
  });
  expect(ours, "the failure names another module or endpoint than add_procs answered");
  expect(failure.status != Errc::kOk && !failure.text.empty(), "the failure has no status or no text");
}

void killed_peer_is_reported_once(Rank& self) {
  self.open();
  self.meet();
  if (self.own() == 1) {
    self.until([&] { return self.flag(kReady) != 0; }, "the other's readiness");
    ::kill(::getpid(), SIGKILL);
  }
  const btl::Reach reached = self.reach(self.peer());
  std::deque<Parcel> parcels;
  const std::size_t pending = fill_up(self, parcels);
  self.set_flag(kReady);
  self.until([&] { return self.host().failures().size() >= reached.count; },
             "the report of a peer that was killed, one per rail");
  expect(completed(parcels) == pending,
         "{} descriptors pended and {} were completed before the failure was reported", pending,
         completed(parcels));
  self.passes(1000);
  require(self.host().failures().size() == reached.count, "the end of {} rails was reported {} times",
          reached.count, self.host().failures().size());
  for (const Host::Failure& failure : self.host().failures()) expect_of_rank_1(failure, reached);
  Parcel late;
  late.fill({0, 0, std::min<std::size_t>(self.attributes().max_send_size, 10)});
  const btl::Posted send = self.try_send(late);
  const btl::Posted sendi = self.try_sendi({0, 0, 10});
  expect(send == btl::Posted::kUnreachable && sendi == btl::Posted::kUnreachable,
         "posts on a rail that failed answered {} and {}", to_text(send), to_text(sendi));
  expect(late.completions.load() == 0, "a post that was unreachable was completed");
  self.close();
  expect(completed(parcels) == pending, "{} descriptors pended and {} were completed", pending,
         completed(parcels));
}

void close_completes(Rank& self) {
  self.open();
  self.meet();
  if (!self.sends()) {
    wait_without_progress(self);
    return self.close();
  }
  std::deque<Parcel> parcels;
  const std::size_t pending = fill_up(self, parcels);
  self.close();
  expect(completed(parcels) == pending, "{} descriptors pended at close, and {} were completed", pending,
         completed(parcels));
  self.set_flag(kReady);
}

void release_completes(Rank& self) {
  self.open();
  self.meet();
  if (!self.sends()) {
    wait_without_progress(self);
    return self.close();
  }
  std::deque<Parcel> parcels;
  const std::size_t pending = fill_up(self, parcels);
  self.component().release_peer(self.peer());
  self.until([&] { return completed(parcels) >= pending; }, "the completions after release_peer");
  self.passes(100);
  expect(completed(parcels) == pending, "{} descriptors pended at release_peer, and {} were completed",
         pending, completed(parcels));
  for (const Host::Failure& failure : self.host().failures())
    fail("a peer that was let go was reported as a failure: " + failure.text);
  self.set_flag(kReady);
  self.close();
}

// Whoever sends again over another rail relies on the silence of the one that he gave up.
void abandoned_rail_is_silent(Rank& self) {
  self.open();
  self.meet();
  if (!self.receives()) {
    // As many as find room: the other side takes none before it gives the rail up.
    for (std::uint32_t i = 1; i <= 20 && self.try_sendi({i, 0, 500}) == btl::Posted::kDone; ++i) {
    }
    self.set_flag(kReady);
    self.until([&] { return self.flag(5) != 0; }, "the other rank");
    return self.close();
  }
  std::deque<Parcel> parcels;
  const std::size_t pending = fill_up(self, parcels);
  if (self.ranks() > 1) wait_without_progress(self);
  const auto way = self.rail();
  const std::size_t before = self.arrivals().size();
  way.module->abandon(*way.endpoint);
  self.until([&] { return completed(parcels) >= pending; }, "the completions of a rail that was given up");
  self.passes(500);
  for (const Parcel& parcel : parcels) {
    expect(parcel.completions.load() == 0 || parcel.outcome.load() == Errc::kUnreachable,
           "what pended on a rail that was given up completed with: {}", to_text(parcel.outcome.load()));
  }
  expect(self.arrivals().size() == before, "{} messages were delivered over a rail that was given up before",
         self.arrivals().size() - before);
  expect(self.host().failures().empty(), "a rail that was given up was reported as failed");
  const btl::Posted posted = self.try_sendi({0, 0, 10});
  expect(posted == btl::Posted::kUnreachable, "a post on a rail that was given up answered {}",
         to_text(posted));
  self.set_flag(5);
  self.close();
}

void nothing_stays_open(Rank& self) {
  const int files = entries_of("/proc/self/fd");
  const int threads = entries_of("/proc/self/task");
  self.open();
  self.meet();
  self.finish();
  const int files_after = entries_of("/proc/self/fd");
  const int threads_after = entries_of("/proc/self/task");
  expect(files_after <= files, "{} descriptors are open after close", files_after - files);
  expect(threads_after <= threads, "{} threads run on after close", threads_after - threads);
}

// What the process holds after each round; the first ones fill caches.
void no_leak(Rank& self) {
  constexpr int kRounds = 8, kSettled = 3;
  constexpr std::size_t kSlack = 4096;
  std::size_t heap = 0;
  int files = 0;
  for (int round = 0; round < kRounds; ++round) {
    self.open();
    if (self.shape() == kLoop) {
      self.say({static_cast<std::uint32_t>(round), 0, 100});
      self.await(static_cast<std::size_t>(round) + 1);
    }
    self.close();
    if (round == kSettled) {
      heap = ::mallinfo2().uordblks;
      files = entries_of("/proc/self/fd");
    }
  }
  const std::size_t now = ::mallinfo2().uordblks;
  expect(now <= heap + kSlack, "opening and closing {} times leaves {} bytes allocated",
         kRounds - kSettled - 1, now - heap);
  const int files_now = entries_of("/proc/self/fd");
  expect(files_now <= files, "opening and closing {} times leaves {} descriptors open",
         kRounds - kSettled - 1, files_now - files);
}

constexpr Check kChecks[] = {
    {"end.good_order_is_no_failure", "A peer that closes and ends is no failure, and nothing is logged.",
     kPair, &good_order_is_no_failure},
    {"end.killed_peer_reported_once",
     "The end of a peer is reported once per rail, with status and words, after what pended was completed; "
     "from "
     "then on posts are unreachable.",
     kPair, &killed_peer_is_reported_once, nullptr, 1},
    {"end.close_completes", "close completes every descriptor that pends, once.", kBoth, &close_completes},
    {"end.release_completes",
     "release_peer completes every descriptor that pends for that peer, once, and reports no failure.", kBoth,
     &release_completes},
    {"end.abandoned_rail_is_silent",
     "After abandon nothing is delivered over the rail, what pended completes as unreachable, and no failure "
     "is "
     "reported.",
     kBoth, &abandoned_rail_is_silent},
    {"end.nothing_stays_open", "After close no descriptor is open and no thread runs that was not before.",
     kBoth, &nothing_stays_open},
    {"end.no_leak", "Opening and closing again and again keeps no memory and no descriptors.", kAlone | kLoop,
     &no_leak},
};

}  // namespace

std::span<const Check> end_checks() {
  return kChecks;
}

}  // namespace hawser::check
