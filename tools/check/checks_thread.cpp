// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <thread>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// Posts from several threads while one makes progress.

namespace hawser::check {

namespace {

constexpr std::uint32_t kThreads = 4;
constexpr std::uint32_t kEach = 2000;

btl::Posted post(Rank& self, const btl::Reach::Rail& way, const Stamp& stamp) {
  const auto bytes = make_data(stamp);
  for (;;) {
    const btl::Posted posted =
        way.module->sendi(*way.endpoint, {&stamp, sizeof stamp, kTag}, bytes.data(), bytes.size());
    if (posted != btl::Posted::kNoResource || self.board().over.load()) return posted;
    std::this_thread::yield();
  }
}

/// Threads that are joined, or left alone when the check ends early: the process ends with it.
struct Crew {
  std::vector<std::thread> threads;
  ~Crew() {
    for (auto& thread : threads) thread.detach();
  }
  void join() {
    for (auto& thread : threads) thread.join();
    threads.clear();
  }
};

void expect_done(Rank& self, const std::atomic<std::uint32_t> (&answers)[4]) {
  for (const auto answer : {btl::Posted::kPending, btl::Posted::kUnreachable}) {
    const std::uint32_t count = answers[static_cast<int>(answer)].load();
    require(count == 0, "{} of {} immediate sends from threads answered {}", count, kThreads * kEach,
            self.told(answer));
  }
}

void streams_stay_in_order(Rank& self) {
  self.open();
  const auto way = self.rail();
  Crew crew;
  std::atomic<std::uint32_t> finished{0};
  std::atomic<std::uint32_t> answers[4]{};  // by btl::Posted
  if (self.sends()) {
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      crew.threads.emplace_back([&self, &finished, &answers, way, t] {
        const std::size_t limit = way.module->attributes().eager_limit;
        for (std::uint32_t i = 0; i < kEach; ++i)
          answers[static_cast<int>(
                      post(self, way, {i, t, (std::size_t{i} * 13) % std::min<std::size_t>(limit, 500)})) &
                  3]
              .fetch_add(1);
        finished.fetch_add(1);
      });
    }
    self.until([&] { return finished.load() == kThreads; }, "the posting threads");
    expect_done(self, answers);
  }
  if (self.receives()) {
    self.await(std::size_t{kThreads} * kEach);
    std::uint32_t next[kThreads] = {};
    const bool ordered = (self.attributes().flags & btl::kFlagOrdered) != 0;
    for (const Arrival& arrival : self.arrivals()) {
      require(arrival.stamp.stream < kThreads, "a message is of thread {}, which there is not",
              arrival.stamp.stream);
      const std::uint32_t due = next[arrival.stamp.stream]++;
      require(!ordered || arrival.stamp.number == due, "message {} of a thread arrived where {} was due",
              arrival.stamp.number, due);
    }
  }
  crew.join();
  self.finish();
}

// Nobody but the component wakes anybody here: the last message makes its receiver answer.
void sleeper_is_woken_by_own_threads(Rank& self) {
  constexpr std::uint32_t kCount = 500;
  constexpr int kLimitMs = 5000;
  self.open();
  const auto way = self.rail();
  self.barrier("first contact");
  const int limit = std::min(kLimitMs, static_cast<int>(self.subject().patience.count()) * 1000);
  const std::size_t size = std::min<std::size_t>(self.attributes().eager_limit, 4000);
  Crew crew;
  if (self.sends()) {
    crew.threads.emplace_back([&self, way, size] {
      for (std::uint32_t i = 0; i < kCount; ++i) static_cast<void>(post(self, way, {i, 0, size}));
    });
  }
  const std::size_t due = self.receives() ? kCount : 1;
  while (self.arrivals().size() < due) {
    if (self.board().over.load()) throw Stop{};
    const auto slept = self.sleep(limit);
    require(slept < limit, "slept on while another thread of this process posted, and {} of {} messages came",
            self.arrivals().size(), due);
    self.passes(3);
  }
  if (self.own() == 1) self.say({0, 1, 8});
  crew.join();
  self.finish();
}

constexpr Check kChecks[] = {
    {"thread.streams_in_order",
     "Posts may come from any thread; the messages of each arrive in order and whole.", kBoth,
     &streams_stay_in_order},
    {"thread.sleeper_is_woken",
     "A post of another thread ends the sleep of the one that makes progress, if it "
     "must do something for it.",
     kBoth, &sleeper_is_woken_by_own_threads},
};

}  // namespace

std::span<const Check> thread_checks() {
  return kChecks;
}

}  // namespace hawser::check
