// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Which rank goes to which core, where ranks share cores.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "mpi/coll/spread.hpp"

namespace hawser::mpi::coll {
namespace {

using Cores = std::vector<std::uint32_t>;  // 1 + core of each member

cpu_set_t set_of(std::initializer_list<int> cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  return set;
}

/// Where each member would go.
std::vector<int> wishes(const Cores& cores, const cpu_set_t& allowed) {
  std::vector<int> all;
  for (std::size_t i = 0; i < cores.size(); ++i) all.push_back(less_crowded_core(cores, i, allowed));
  return all;
}

TEST(CollSpread, TheLastOfTheCrowdedCoreGoes) {
  EXPECT_EQ(wishes({1, 1, 2, 1}, set_of({0, 1})), (std::vector<int>{-1, -1, -1, 1}));
  EXPECT_EQ(wishes({2, 2, 2, 2}, set_of({0, 1})), (std::vector<int>{-1, -1, -1, 0}));
}

TEST(CollSpread, NobodyGoesWhereItWouldBeNoBetter) {
  EXPECT_EQ(wishes({1, 2, 1, 2}, set_of({0, 1})), (std::vector<int>{-1, -1, -1, -1}));
  EXPECT_EQ(wishes({1, 2, 1}, set_of({0, 1})), (std::vector<int>{-1, -1, -1}));
}

TEST(CollSpread, OnlyToACoreThatIsAllowed) {
  EXPECT_EQ(wishes({1, 1, 1}, set_of({0})), (std::vector<int>{-1, -1, -1}));
  EXPECT_EQ(wishes({1, 1, 1}, set_of({0, 7})), (std::vector<int>{-1, -1, 7}));
}

TEST(CollSpread, TheEmptiestCoreIsChosen) {
  EXPECT_EQ(wishes({1, 1, 1, 2, 1}, set_of({0, 1, 2})), (std::vector<int>{-1, -1, -1, -1, 2}));
}

TEST(CollSpread, NobodyGoesUntilAllAreKnown) {
  EXPECT_EQ(wishes({1, 1, 1, 0}, set_of({0, 1})), (std::vector<int>{-1, -1, -1, -1}));
}

TEST(CollSpread, OneAfterTheOtherTheyBecomeEven) {
  const cpu_set_t allowed = set_of({0, 1, 2, 3});
  Cores cores(11, 3);
  for (std::size_t moves = 0; moves < cores.size(); ++moves) {
    for (std::size_t i = 0; i < cores.size(); ++i) {
      if (const int core = less_crowded_core(cores, i, allowed); core >= 0)
        cores[i] = static_cast<std::uint32_t>(core) + 1;
    }
  }
  for (std::uint32_t core = 1; core <= 4; ++core) {
    const auto members = std::count(cores.begin(), cores.end(), core);
    EXPECT_TRUE(members == 2 || members == 3) << "core " << core << " has " << members;
  }
}

TEST(CollSpread, AThreadThatMovedIsAsFreeAsBefore) {
  cpu_set_t before, after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &before)) continue;
    ASSERT_TRUE(move_to_core(core, before));
    ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
    ASSERT_TRUE(CPU_EQUAL(&before, &after));
  }
}

TEST(CollSpread, ACoreThatIsNotThereIsRefused) {
  cpu_set_t before, after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_FALSE(move_to_core(CPU_SETSIZE - 1, before));
  ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace hawser::mpi::coll
