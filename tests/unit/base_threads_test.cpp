// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "framework/base/hooks.hpp"
#include "framework/base/mutex.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/base/thread_counters.hpp"
#include "framework/base/thread_role.hpp"

namespace hawser {
namespace {

// gtest's ASSERT_TRUE hides from the analysis that a try succeeded.
template <class M>
void give_back(M& mutex) HAWSER_NO_ANALYSIS {
  mutex.unlock();
}
void give_back(ThreadRole& role) HAWSER_NO_ANALYSIS {
  role.leave();
}

TEST(LockRank, RisingOrderIsFine) {
  Mutex<LockRank::kModex> low;
  HotMutex<LockRank::kEndpoint> high;
  Lock first(low);
  HotLock second(high);
  EXPECT_EQ(lock_check::held(), kCheckLocks ? 2 : 0);
}

#if !defined(NDEBUG)
using LockRankDeathTest = testing::Test;

TEST(LockRankDeathTest, FallingOrderNamesBothRanks) {
  Mutex<LockRank::kModex> low;
  Mutex<LockRank::kEndpoint> high;
  EXPECT_DEATH(
      {
        Lock first(high);
        Lock second(low);
      },
      "taking rank 20 while rank 60 is held");
}

TEST(LockRankDeathTest, TwoOfOneRankAreRefused) {
  HotMutex<LockRank::kMatcher> a, b;
  EXPECT_DEATH(
      {
        HotLock first(a);
        HotLock second(b);
      },
      "taking rank 40 while rank 40 is held");
}

TEST(LockRankDeathTest, ALockBeforeACallbackIsNoticed) {
  Mutex<LockRank::kModex> mutex;
  EXPECT_DEATH(
      {
        Lock lock(mutex);
        assert_no_locks_held();
      },
      "held");
}
#endif

TEST(LockRank, TryingAgainstTheOrderIsAllowed) {
  Mutex<LockRank::kModex> low;
  Mutex<LockRank::kEndpoint> high;
  Lock first(high);
  ASSERT_TRUE(low.try_lock());
  give_back(low);
  EXPECT_EQ(lock_check::held(), kCheckLocks ? 1 : 0);
}

template <class M, class L>
int counted_by_four_threads() {
  M mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        L lock(mutex);
        ++count;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return count;
}

TEST(Mutex, Excludes) {
  constexpr auto kRank = LockRank::kLeaf;
  EXPECT_EQ((counted_by_four_threads<Mutex<kRank>, Lock<kRank>>()), 40'000);
  EXPECT_EQ((counted_by_four_threads<HotMutex<kRank>, HotLock<kRank>>()), 40'000);
}

TEST(ThreadRole, HasOneHolder) {
  ThreadRole role;
  ASSERT_TRUE(role.try_enter());
  bool second = true;
  std::thread([&] { second = role.try_enter(); }).join();
  EXPECT_FALSE(second);
  give_back(role);
  ASSERT_TRUE(role.try_enter());
  give_back(role);
}

TEST(ThreadRole, IsNotEnteredTwiceByOneThreadEither) {
  g_many_threads = false;
  ThreadRole role;
  ASSERT_TRUE(role.try_enter());
  EXPECT_FALSE(role.try_enter());
  give_back(role);
  g_many_threads = true;
}

TEST(ThreadRole, ExcludesLikeALock) {
  ThreadRole role;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000;) {
        if (!role.try_enter()) {
          std::this_thread::yield();
          continue;
        }
        ++count;
        ++i;
        role.leave();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count, 4000);
}

TEST(Hooks, RunWhereInstalledAndNoLonger) {
  int runs = 0;
  hooks::set(
      "test.point", [](void* count) { ++*static_cast<int*>(count); }, &runs);
  HAWSER_HOOK("test.point");
  HAWSER_HOOK("test.other");
  hooks::set("test.point", nullptr, nullptr);
  HAWSER_HOOK("test.point");
  EXPECT_EQ(runs, 1);
}

// More threads at once than there are slots: all are alive until each has its own or shares.
TEST(ThreadSlot, NoTwoThreadsHaveOneUnlessNoneIsLeft) {
  constexpr unsigned kThreads = kThreadSlots + 5;
  std::atomic<unsigned> arrived{0};
  std::vector<unsigned> slots(kThreads);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      slots[t] = thread_slot();
      ++arrived;
      while (arrived < kThreads) std::this_thread::yield();
      EXPECT_EQ(thread_slot(), slots[t]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::multiset<unsigned> all(slots.begin(), slots.end());
  for (unsigned slot = 0; slot < kThreadSlots; ++slot) EXPECT_LE(all.count(slot), 1u);
  EXPECT_GE(all.count(kThreadSlots), 5u);
  std::thread([] { EXPECT_LT(thread_slot(), kThreadSlots) << "ended threads gave theirs back"; }).join();
}

enum class Fruit : std::uint8_t { kApples, kPears, kCount };

TEST(ThreadCounters, TheSumIsExactWithMoreThreadsThanSlotsAndAcrossTheirEnds) {
  const bool before = g_many_threads;
  g_many_threads = true;
  ThreadCounters<Fruit> counters;
  constexpr unsigned kThreads = kThreadSlots + 3, kRounds = 3, kAdds = 1000;
  for (unsigned round = 0; round < kRounds; ++round) {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (unsigned i = 0; i < kAdds; ++i) counters.add(Fruit::kPears, 2);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  counters.add_own(Fruit::kPears, 1);
  counters.add_own(Fruit::kApples, 7);
  const auto* sums = counters.data();
  EXPECT_EQ(sums[0], 7u);
  EXPECT_EQ(sums[1], 2u * kThreads * kRounds * kAdds + 1);
  g_many_threads = before;
}

}  // namespace
}  // namespace hawser
