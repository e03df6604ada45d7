// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "tests/conformance/job.hpp"

// Posts from several threads while one makes progress.

namespace hawser::conformance {

namespace {

constexpr std::uint32_t kThreads = 4;
constexpr std::uint32_t kEach = 3000;

btl::Posted post(const btl::Reach::Rail& way, const Stamp& stamp) {
  const auto bytes = make_data(stamp);
  for (;;) {
    const btl::Posted posted =
        way.module->sendi(*way.endpoint, {&stamp, sizeof stamp, kTag}, bytes.data(), bytes.size());
    if (posted != btl::Posted::kNoResource) return posted;
    std::this_thread::yield();
  }
}

}  // namespace

TEST(Threads, StreamsStayInOrderAndWhole) {
  run_job([](Rank& self) {
    const auto way = self.rail();
    std::vector<std::thread> threads;
    std::atomic<std::uint32_t> finished{0};
    if (self.sends()) {
      for (std::uint32_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          for (std::uint32_t i = 0; i < kEach; ++i)
            EXPECT_EQ(post(way, {i, t, (i * 13) % 500}), btl::Posted::kDone);
          finished.fetch_add(1);
        });
      }
      self.until([&] { return finished.load() == kThreads; }, "the posting threads");
    }
    if (self.receives()) {
      self.until([&] { return self.arrivals().size() >= kThreads * kEach; }, "all messages");
      std::uint32_t next[kThreads] = {};
      for (const Arrival& arrival : self.arrivals()) {
        ASSERT_LT(arrival.stamp.stream, kThreads);
        ASSERT_EQ(arrival.stamp.number, next[arrival.stamp.stream]++) << "stream " << arrival.stamp.stream;
      }
    }
    for (auto& thread : threads) thread.join();
    self.finish();
  });
}

TEST(Threads, ASleeperIsWokenByItsOwnThreads) {
  run_job([](Rank& self) {
    const auto way = self.rail();
    self.barrier("first contact");
    std::thread poster;
    if (self.sends()) {
      poster = std::thread([&] {
        for (std::uint32_t i = 0; i < 500; ++i) EXPECT_EQ(post(way, {i, 0, 4000}), btl::Posted::kDone);
        self.host().board().flags[3] = 1;
        self.host().wake();
      });
    }
    const auto done = [&] {
      return self.host().board().flags[3].load() != 0 && (!self.receives() || self.arrivals().size() >= 500);
    };
    while (!done()) {
      if (self.receives()) self.sleep(1000);
      for (int i = 0; i < 3; ++i) self.pass();
    }
    if (poster.joinable()) poster.join();
    self.finish();
  });
}

}  // namespace hawser::conformance
