// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <thread>

#include "tests/conformance/job.hpp"

// What a component says of itself, and first contact.

namespace hawser::conformance {

TEST(Reach, AttributesMakeSense) {
  run_job([](Rank& self) {
    const btl::Attributes a = self.rail().module->attributes();
    EXPECT_GT(a.eager_limit, 0u);
    EXPECT_LE(a.eager_limit, a.max_send_size);
    EXPECT_LE(a.rndv_eager_limit, a.max_send_size);
    EXPECT_GT(a.bandwidth_mbps, 0u);
    EXPECT_TRUE(a.flags & btl::kFlagSend);
    EXPECT_NE(self.rail().module->name(), nullptr);
    EXPECT_GT(self.component().module_count(), 0u);
    for (std::size_t i = 0; i < self.component().module_count(); ++i) {
      EXPECT_STRNE(self.component().module(i).name(), "");
    }
    self.barrier("first contact");
    self.finish();
  });
}

TEST(Reach, CountersAreDescribed) {
  run_job([](Rank& self) {
    const btl::CounterView view = self.rail().module->counters();
    ASSERT_GE(view.count, static_cast<std::size_t>(btl::BaseCounter::kCount));
    std::set<std::string> names;
    for (std::size_t i = 0; i < view.count; ++i) {
      EXPECT_TRUE(names.insert(view.info[i].name).second) << view.info[i].name << " twice";
      EXPECT_STRNE(view.info[i].help, "") << view.info[i].name;
      EXPECT_STRNE(view.info[i].unit, "") << view.info[i].name;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(btl::BaseCounter::kCount); ++i) {
      EXPECT_STREQ(view.info[i].name, btl::kBaseCounterInfo[i].name) << "the base counters come first";
    }
    self.barrier("first contact");
    self.finish();
  });
}

TEST(Reach, ARankThatPublishedNothingIsRefusedWithAReason) {
  run_job(
      [](Rank& self) {
        const btl::Reach found = self.reach(2);
        EXPECT_EQ(found.count, 0u);
        EXPECT_NE(found.status, Errc::kOk);
        EXPECT_STRNE(found.reason, "");
        EXPECT_GT(self.rail().module->attributes().max_send_size, 0u) << "a refusal spoils no other peer";
        self.barrier("first contact");
        self.finish();
      },
      3);
}

TEST(Reach, TheSameAnswerEveryTime) {
  run_job([](Rank& self) {
    const btl::Reach first = self.reach(self.peer());
    ASSERT_GT(first.count, 0u) << first.reason;
    EXPECT_STREQ(first.reason, "");
    for (int i = 0; i < 10; ++i) {
      const btl::Reach again = self.reach(self.peer());
      ASSERT_EQ(again.count, first.count);
      for (std::size_t r = 0; r < first.count; ++r) {
        EXPECT_EQ(again.rails[r].endpoint, first.rails[r].endpoint);
        EXPECT_EQ(again.rails[r].module, first.rails[r].module);
      }
    }
    self.barrier("first contact");
    self.finish();
  });
}

TEST(Reach, ManyThreadsGetOneWholeSet) {
  run_job([](Rank& self) {
    constexpr int kThreads = 64;
    std::vector<btl::Reach> found(kThreads);
    std::vector<std::thread> threads;
    std::atomic<int> ready{0};
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        ready.fetch_add(1);
        while (ready.load() < kThreads) std::this_thread::yield();
        found[static_cast<std::size_t>(i)] = self.reach(self.peer());
      });
    }
    for (auto& thread : threads) thread.join();
    ASSERT_GT(found[0].count, 0u) << found[0].reason;
    for (const btl::Reach& one : found) {
      ASSERT_EQ(one.count, found[0].count);
      for (std::size_t r = 0; r < one.count; ++r)
        EXPECT_EQ(one.rails[r].endpoint, found[0].rails[r].endpoint);
    }
    // Both sides came at once; the way works in both directions.
    self.say({1, self.own(), 100});
    self.until([&] { return self.arrivals().size() == 1; }, "a message after first contact");
    self.finish();
  });
}

}  // namespace hawser::conformance
