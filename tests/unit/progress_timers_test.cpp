// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/timers.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>

#include "framework/progress/event_loop.hpp"
#include "tests/race/failing_memory.hpp"

namespace hawser::progress {
namespace {

using tests::FailingMemory;

void nothing(void*) noexcept {}
void count(void* counter) noexcept {
  ++*static_cast<int*>(counter);
}

TEST(Timers, AreTakenInOrderOfTimeThenOfTheirSetting) {
  std::mt19937 random(7);
  Timers timers;
  std::multimap<std::uint64_t, std::uint64_t> expected;  // time, id
  for (int turn = 0; turn < 20'000; ++turn) {
    const std::uint64_t at = random() % 100;
    if (random() % 2 == 0) {
      const std::uint64_t id = timers.add(at, {&nothing, reinterpret_cast<void*>(at + 1)});
      ASSERT_NE(id, 0u);
      expected.emplace(at, id);
    } else if (!expected.empty() && random() % 2 == 0) {
      const auto victim = std::next(expected.begin(), static_cast<long>(random() % expected.size()));
      EXPECT_TRUE(timers.cancel(victim->second));
      EXPECT_FALSE(timers.cancel(victim->second));
      expected.erase(victim);
    } else {
      Timers::Call call{};
      const bool due = !expected.empty() && expected.begin()->first <= at;
      ASSERT_EQ(timers.take_due(at, call), due);
      if (!due) continue;
      EXPECT_EQ(call.context, reinterpret_cast<void*>(expected.begin()->first + 1));
      EXPECT_FALSE(timers.cancel(expected.begin()->second)) << "not the first that was set";
      expected.erase(expected.begin());
    }
    ASSERT_EQ(timers.next(), expected.empty() ? Timers::kNever : expected.begin()->first);
  }
}

TEST(Timers, CanStillBeSetWhenMemoryHasRunOutAndThenSaySo) {
  EventLoop loop;
  int calls = 0;
  ASSERT_NE(loop.call_at(1, &count, &calls), 0u);
  std::size_t set = 1;
  {
    const FailingMemory none(0);
    while (loop.call_at(1, &count, &calls) != 0) ++set;
    EXPECT_EQ(loop.call_at(1, &count, &calls), 0u);
  }
  EXPECT_GE(set, Timers::kAhead);
  while (loop.run(0) != 0) {
  }
  EXPECT_EQ(static_cast<std::size_t>(calls), set);
  {
    const FailingMemory none(0);
    EXPECT_NE(loop.call_at(1, &count, &calls), 0u) << "those that ran leave their memory";
  }
  EXPECT_EQ(loop.run(0), 1);
}

TEST(Timers, OnesOwnTakesNoMemoryAndIsSetForTheEarliestTime) {
  EventLoop loop;
  int calls = 0;
  int others = 0;
  {
    EventLoop::Timer own(loop, &count, &calls);
    EventLoop::Timer dropped(loop, &count, &others);
    EXPECT_FALSE(loop.has_timers());
    const FailingMemory none(0);
    while (loop.call_at(1, &count, &others) != 0) {
    }
    for (int turn = 1; turn <= 3; ++turn) {
      own.set(Timers::kNever - 1);
      own.set(1);
      own.set(Timers::kNever - 1);
      while (loop.run(0) != 0) {
      }
      EXPECT_EQ(calls, turn);
    }
    EXPECT_FALSE(loop.has_timers()) << "what was set for later went with the earlier";
    others = 0;
    own.set(1);
    dropped.set(1);
  }
  EXPECT_FALSE(loop.has_timers());
  EXPECT_EQ(loop.run(0), 0);
  EXPECT_EQ(others, 0);
}

}  // namespace
}  // namespace hawser::progress
