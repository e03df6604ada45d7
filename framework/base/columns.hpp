// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hawser {

/// A table for people: columns as wide as their widest cell, two blanks between; the first `left` begin where
/// their title does, the others end there, as numbers do.
class Columns {
 public:
  /// `titles`: one for each column.
  Columns(std::vector<std::string> titles, std::size_t left) : rows_{std::move(titles)}, left_(left) {}

  /// A row with as many cells as there are titles.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Whether no row was added.
  bool empty() const noexcept { return rows_.size() == 1; }
  /// The lines, titles first, each without a line end.
  std::vector<std::string> lines() const;
  /// The same as one text.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t left_;
};

/// "12.3 M": three digits and what they are to be multiplied by.
std::string short_number(double value);

}  // namespace hawser
