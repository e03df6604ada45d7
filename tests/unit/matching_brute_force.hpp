// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "framework/matching/assignment.hpp"

namespace hawser::matching::testing {

struct Total {
  std::size_t pairs = 0;
  std::uint64_t cost = 0;

  bool operator==(const Total&) const = default;
  bool better_than(const Total& other) const {
    return pairs > other.pairs || (pairs == other.pairs && cost < other.cost);
  }
};

// Every set of columns in turn: the best that the rows so far can do with just these.
inline Total brute_force(const CostTable& table) {
  std::vector<std::optional<Total>> best(std::size_t{1} << table.columns);
  best[0] = Total{};
  for (std::size_t row = 0; row < table.rows; ++row) {
    std::vector<std::optional<Total>> next = best;  // this row stays alone
    for (std::size_t used = 0; used < best.size(); ++used) {
      if (!best[used]) continue;
      for (std::size_t column = 0; column < table.columns; ++column) {
        if ((used >> column & 1) || !table.at(row, column)) continue;
        const Total with{best[used]->pairs + 1, best[used]->cost + *table.at(row, column)};
        auto& slot = next[used | std::size_t{1} << column];
        if (!slot || with.better_than(*slot)) slot = with;
      }
    }
    best = std::move(next);
  }
  Total result;
  for (const auto& total : best) {
    if (total && total->better_than(result)) result = *total;
  }
  return result;
}

}  // namespace hawser::matching::testing
