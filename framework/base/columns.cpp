// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/base/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace hawser {

std::vector<std::string> Columns::lines() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) line += "  ";
      line += i < left_ ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

std::string Columns::text() const {
  std::string text;
  for (const std::string& line : lines()) text += line + "\n";
  return text;
}

std::string short_number(double value) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P"};
  if (value < 999.5 && value == static_cast<double>(static_cast<std::uint64_t>(value)))
    return fmt::format("{:.0f}", value);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  return fmt::format("{:.{}f}{}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kUnits[unit]);
}

}  // namespace hawser
