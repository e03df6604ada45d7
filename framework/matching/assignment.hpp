// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hawser::matching {

/// Costs of a bipartite graph, `rows` x `columns`, row by row; an absent value is no edge.
struct CostTable {
  std::size_t rows = 0;                             // one for each left node
  std::size_t columns = 0;                          // one for each right node
  std::vector<std::optional<std::uint32_t>> costs;  // rows x columns

  /// Without an edge.
  CostTable(std::size_t n, std::size_t m) : rows(n), columns(m), costs(n * m) {}
  /// The edge of that row and column.
  std::optional<std::uint32_t>& at(std::size_t row, std::size_t column) {
    return costs[row * columns + column];
  }
  /// The edge of that row and column.
  const std::optional<std::uint32_t>& at(std::size_t row, std::size_t column) const {
    return costs[row * columns + column];
  }
};

/// Of all assignments with the most pairs, one of least total cost: the column of each row, or nothing.
/// Deterministic. O(n^3) for n = max(rows, columns): at most n * n rows are looked at; `looks`, if given,
/// counts them.
std::vector<std::optional<std::size_t>> assign(const CostTable& table, std::size_t* looks = nullptr);

}  // namespace hawser::matching
