// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "components/shm/distance.hpp"

namespace hawser::shm {

namespace {

constexpr std::uint64_t kNear = Distance::kMostNear, kFar = Distance::kMostNear + 1;

void see(Distance& distance, std::uint64_t ticks, int times) {
  for (int i = 0; i < times; ++i) distance.saw(ticks);
}

}  // namespace

TEST(ShmDistance, FarUntilItIsSure) {
  Distance distance;
  EXPECT_FALSE(distance.near());
  see(distance, kNear, Distance::kSure - 1);
  EXPECT_FALSE(distance.near());
  see(distance, kNear, 1);
  EXPECT_TRUE(distance.near());
}

TEST(ShmDistance, FollowsCoresThatMove) {
  Distance distance;
  see(distance, kNear, 1000);
  see(distance, kFar, 2 * Distance::kSure - 1);
  EXPECT_TRUE(distance.near()) << "not sure yet";
  see(distance, kFar, 1);
  EXPECT_FALSE(distance.near());
  see(distance, 0, 2 * Distance::kSure);
  EXPECT_TRUE(distance.near());
}

TEST(ShmDistance, ReadingsThatWereDisturbedChangeNothing) {
  Distance distance;
  see(distance, kNear, Distance::kSure);
  for (int i = 0; i < 1000; ++i) {
    distance.saw(i % 3 == 0 ? UINT64_MAX : kNear);
    ASSERT_TRUE(distance.near()) << i;
  }
}

}  // namespace hawser::shm
