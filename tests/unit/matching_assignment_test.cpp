// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/matching/assignment.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/unit/matching_brute_force.hpp"

namespace hawser::matching {
namespace {

using testing::brute_force;
using testing::Total;

// What `assign` found; the test fails if it is no assignment.
Total assigned_total(const CostTable& table) {
  Total total;
  std::vector<bool> taken(table.columns, false);
  const auto assigned = assign(table);
  EXPECT_EQ(assigned.size(), table.rows);
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (!assigned[row]) continue;
    EXPECT_LT(*assigned[row], table.columns);
    EXPECT_FALSE(taken[*assigned[row]]);
    EXPECT_TRUE(table.at(row, *assigned[row]));
    taken[*assigned[row]] = true;
    ++total.pairs;
    total.cost += *table.at(row, *assigned[row]);
  }
  return total;
}

struct Shape {
  std::size_t rows, columns;
};

// One in `absent` edges is not there; costs are below `most`.
CostTable random_table(std::mt19937& random, Shape shape, unsigned absent, std::uint32_t most) {
  CostTable table(shape.rows, shape.columns);
  for (auto& cost : table.costs) {
    if (random() % absent != 0) cost = random() % most;
  }
  return table;
}

void expect_best(const CostTable& table) {
  const Total expected = brute_force(table);
  const Total got = assigned_total(table);
  EXPECT_EQ(got.pairs, expected.pairs) << table.rows << "x" << table.columns;
  EXPECT_EQ(got.cost, expected.cost) << table.rows << "x" << table.columns;
}

TEST(Assignment, EqualsBruteForceForEveryShapeUpToTwelve) {
  std::mt19937 random(7);
  for (std::size_t rows = 0; rows <= 12; ++rows) {
    for (std::size_t columns = 0; columns <= 12; ++columns) {
      for (const std::uint32_t most : {2u, 50u, 4'000'000'000u}) {
        expect_best(random_table(random, {rows, columns}, 2 + random() % 6, most));
      }
    }
  }
}

TEST(Assignment, EqualsBruteForceForManySmallOnes) {
  std::mt19937 random(8);
  for (int round = 0; round < 3'000; ++round) {
    expect_best(random_table(random, {random() % 7, random() % 7}, 1 + random() % 4 + 1, 1 + random() % 5));
  }
}

TEST(Assignment, EqualWeightsAndNoEdges) {
  for (const Shape shape : {Shape{1, 1}, {3, 3}, {12, 12}, {2, 9}, {9, 2}}) {
    CostTable table(shape.rows, shape.columns);
    EXPECT_EQ(assigned_total(table), Total{});
    for (auto& cost : table.costs) cost = 5;
    expect_best(table);
    for (auto& cost : table.costs) cost = std::numeric_limits<std::uint32_t>::max();
    expect_best(table);
  }
  EXPECT_TRUE(assign(CostTable(0, 5)).empty());
  EXPECT_EQ(assign(CostTable(5, 0)).size(), 5u);
}

// More pairs win, whatever they cost.
TEST(Assignment, CardinalityComesFirst) {
  CostTable table(2, 2);
  table.at(0, 0) = 0;
  table.at(0, 1) = 4'000'000'000u;
  table.at(1, 0) = 4'000'000'000u;
  EXPECT_EQ(assigned_total(table), (Total{2, 8'000'000'000u}));
}

// The work is bounded for any costs; n! or n^5 would not do for hosts with many interfaces.
TEST(Assignment, LooksAtNoMoreThanSquareManyRows) {
  std::mt19937 random(3);
  for (const Shape shape : {Shape{64, 64}, {64, 3}, {1, 64}, {100, 128}}) {
    for (const std::uint32_t most : {1u, 100u, 4'000'000'000u}) {
      std::size_t looks = 0;
      assign(random_table(random, shape, 1'000, most), &looks);
      const std::size_t n = std::max(shape.rows, shape.columns);
      EXPECT_GE(looks, n);
      EXPECT_LE(looks, n * n);
    }
  }
}

}  // namespace
}  // namespace hawser::matching
