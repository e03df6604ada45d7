// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "mpi/coll/shm_memory.hpp"

namespace hawser::mpi::coll {
namespace {

// What is said in an operation may not lie where one of the kSlots - 1 before it still does.
TEST(CollSlotsTest, OperationsInARowHaveSlotsOfTheirOwn) {
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, kSlots / 2, 7 * kSlots - 1}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t k = first; k < first + kSlots; ++k) seen.insert(slot_for(k));
    EXPECT_EQ(seen.size(), kSlots);
    EXPECT_LT(*seen.rbegin(), kSlots);
  }
}

TEST(CollSlotsTest, TheyFollowEachOtherAtNoSteadyDistance) {
  for (std::uint64_t k = 1; k + 2 < kSlots; ++k) {
    const auto step = [](std::uint64_t at) { return (slot_for(at + 1) - slot_for(at)) % kSlots; };
    EXPECT_NE(step(k), step(k + 1)) << k;
  }
}

}  // namespace
}  // namespace hawser::mpi::coll
