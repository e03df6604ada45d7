// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// More than two.

namespace hawser::check {

namespace {

template <class Do>
void for_each_other(const Rank& self, Do&& what) {
  for (std::uint32_t rank = 0; rank < self.ranks(); ++rank) {
    if (rank != self.own()) what(rank);
  }
}

std::vector<btl::Reach::Rail> ways_to_all(Rank& self) {
  std::vector<btl::Reach::Rail> ways(self.ranks());
  for_each_other(self, [&](std::uint32_t rank) { ways[rank] = self.rail_to(rank); });
  return ways;
}

void expect_order_of_each(Rank& self, std::uint32_t count) {
  std::vector<std::uint32_t> next(self.ranks());
  for (const Arrival& arrival : self.arrivals()) {
    require(arrival.stamp.stream == arrival.from, "a message of rank {} came as one of rank {}",
            arrival.stamp.stream, arrival.from);
    const std::uint32_t due = next[arrival.from]++;
    require(arrival.stamp.number == due, "message {} of rank {} arrived where {} was due",
            arrival.stamp.number, arrival.from, due);
  }
  for_each_other(self, [&](std::uint32_t rank) {
    expect(next[rank] == count, "{} of {} messages of rank {} arrived", next[rank], count, rank);
  });
}

void all_to_all(Rank& self) {
  constexpr std::uint32_t kCount = 1000;
  self.open();
  const auto ways = ways_to_all(self);
  const std::size_t limit = ways[self.peer()].module->attributes().eager_limit;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    for_each_other(self, [&](std::uint32_t rank) {
      self.say_over(ways[rank], {i, self.own(), (std::size_t{i} * 31) % std::min<std::size_t>(limit, 2000)});
    });
    if (i % 8 == 0) self.pass();
  }
  self.await(std::size_t{self.ranks() - 1} * kCount);
  if ((ways[self.peer()].module->attributes().flags & btl::kFlagOrdered) != 0)
    expect_order_of_each(self, kCount);
  self.finish();
}

void all_meet_at_once(Rank& self) {
  constexpr std::uint32_t kEach = 8;
  self.open();
  self.barrier("all are open");
  std::vector<std::thread> threads;
  std::atomic<std::uint32_t> finished{0};
  for_each_other(self, [&](std::uint32_t rank) {
    for (std::uint32_t i = 0; i < kEach; ++i) {
      threads.emplace_back([&self, &finished, rank] {
        const btl::Reach found = self.reach(rank);
        expect(found.count > 0, "no way to rank {}: {}", rank, found.reason);
        finished.fetch_add(1);
      });
    }
  });
  try {
    self.until([&] { return finished.load() == threads.size(); }, "all threads in add_procs");
  } catch (const Stop&) {
    for (auto& thread : threads) thread.detach();
    throw;
  }
  for (auto& thread : threads) thread.join();
  for_each_other(self, [&](std::uint32_t rank) { self.say_over(self.rail_to(rank), {0, self.own(), 64}); });
  self.await(self.ranks() - 1);
  self.finish();
}

void one_dies_others_go_on(Rank& self) {
  constexpr std::uint32_t kDead = 3;
  self.open();
  const auto ways = ways_to_all(self);
  for_each_other(self, [&](std::uint32_t rank) { self.say_over(ways[rank], {0, self.own(), 64}); });
  self.await(self.ranks() - 1);
  self.barrier("all know each other");
  if (self.own() == kDead) ::kill(::getpid(), SIGKILL);
  self.until([&] { return !self.host().failures().empty(); }, "the report of a rank that was killed");
  for (std::uint32_t rank = 0; rank < kDead; ++rank) {
    if (rank != self.own()) self.say_over(ways[rank], {1, self.own(), 64});
  }
  self.await(self.ranks() - 1 + kDead - 1);
  const std::size_t rails = self.reach(kDead).count;
  for (const Host::Failure& failure : self.host().failures())
    expect(failure.rank == kDead, "rank {} lives, and its rail was reported as failed: {}", failure.rank,
           failure.text);
  expect(self.host().failures().size() <= std::max<std::size_t>(rails, 1),
         "the end of one rank was reported {} times", self.host().failures().size());
  self.board().flags[0].fetch_add(1);
  self.until([&] { return self.flag(0) == kDead; }, "the other survivors");
  self.close();
}

constexpr Check kChecks[] = {
    {"many.all_to_all", "Four ranks that all send to all get every message, each sender's in order.", kFour,
     &all_to_all},
    {"many.all_meet_at_once", "Four ranks whose threads all ask for all at once find a way to each other.",
     kFour, &all_meet_at_once},
    {"many.one_dies", "When one of four ranks is killed the others report it, and it alone, and go on.",
     kFour, &one_dies_others_go_on, nullptr, 3},
};

}  // namespace

std::span<const Check> many_checks() {
  return kChecks;
}

}  // namespace hawser::check
