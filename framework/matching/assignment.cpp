// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/matching/assignment.hpp"

#include <algorithm>
#include <limits>

namespace hawser::matching {
namespace {

// The Hungarian method with potentials, on a square table: an absent edge and a row or column that is not
// there cost `missing`, which is more than any set of real edges, so that the most pairs win before the least
// cost does.
class Solver {
 public:
  explicit Solver(const CostTable& table)
      : table_(table),
        size_(std::max(table.rows, table.columns)),
        missing_(1 + static_cast<std::int64_t>(size_) * std::numeric_limits<std::uint32_t>::max()),
        row_potential_(size_ + 1),
        column_potential_(size_ + 1),
        row_of_(size_ + 1),
        way_(size_ + 1) {}

  std::vector<std::optional<std::size_t>> solve() {
    for (std::size_t row = 1; row <= size_; ++row) add_row(row);
    std::vector<std::optional<std::size_t>> result(table_.rows);
    for (std::size_t column = 1; column <= table_.columns; ++column) {
      const std::size_t row = row_of_[column];
      if (row <= table_.rows && table_.at(row - 1, column - 1)) result[row - 1] = column - 1;
    }
    return result;
  }
  std::size_t looks() const noexcept { return looks_; }

 private:
  std::int64_t cost(std::size_t row, std::size_t column) const {
    if (row > table_.rows || column > table_.columns) return missing_;
    const auto& edge = table_.at(row - 1, column - 1);
    return edge ? static_cast<std::int64_t>(*edge) : missing_;
  }

  // Finds the cheapest way to give `row` a column, moving others if need be. Column 0 stands for the new row.
  void add_row(std::size_t row) {
    row_of_[0] = row;
    std::vector<std::int64_t> slack(size_ + 1, std::numeric_limits<std::int64_t>::max());
    std::vector<bool> seen(size_ + 1, false);
    std::size_t at = 0;
    do {
      seen[at] = true;
      at = relax(row_of_[at], at, slack, seen);
    } while (row_of_[at] != 0);
    while (at != 0) {
      const std::size_t before = way_[at];
      row_of_[at] = row_of_[before];
      at = before;
    }
  }

  std::size_t relax(std::size_t row, std::size_t from, std::vector<std::int64_t>& slack,
                    const std::vector<bool>& seen) {
    ++looks_;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::size_t next = 0;
    for (std::size_t column = 1; column <= size_; ++column) {
      if (seen[column]) continue;
      const std::int64_t reduced = cost(row, column) - row_potential_[row] - column_potential_[column];
      if (reduced < slack[column]) {
        slack[column] = reduced;
        way_[column] = from;
      }
      if (slack[column] < least) {
        least = slack[column];
        next = column;
      }
    }
    for (std::size_t column = 0; column <= size_; ++column) {
      if (seen[column]) {
        row_potential_[row_of_[column]] += least;
        column_potential_[column] -= least;
      } else {
        slack[column] -= least;
      }
    }
    return next;
  }

  const CostTable& table_;
  const std::size_t size_;
  const std::int64_t missing_;
  std::vector<std::int64_t> row_potential_;
  std::vector<std::int64_t> column_potential_;
  std::vector<std::size_t> row_of_;  // of each column; 0: none
  std::vector<std::size_t> way_;
  std::size_t looks_ = 0;
};

}  // namespace

std::vector<std::optional<std::size_t>> assign(const CostTable& table, std::size_t* looks) {
  Solver solver(table);
  auto result = solver.solve();
  if (looks) *looks = solver.looks();
  return result;
}

}  // namespace hawser::matching
