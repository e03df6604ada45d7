// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace hawser::tools {

/// Escape codes, or nothing.
struct Paint {
  bool on;
  std::string with(const char* code, std::string_view text) const;
  std::string bold(std::string_view text) const { return with("1", text); }
  std::string dim(std::string_view text) const { return with("2", text); }
  std::string good(std::string_view text) const { return with("32", text); }
  std::string bad(std::string_view text) const { return with("31", text); }
};

/// Text with blanks up to a width; escape codes come after, as they have no width.
std::string padded(std::string_view text, std::size_t width);

/// The longest of the texts that `member` gives of each item, at least `least`.
template <class Items, class Member>
std::size_t widest(const Items& items, Member member, std::size_t least) {
  for (const auto& item : items) least = std::max(least, std::string_view(member(item)).size());
  return least;
}

/// Columns of stdout; 100 if it is no terminal.
std::size_t terminal_width();

/// stdout is a terminal that knows colours, and NO_COLOR is not set.
bool wants_colour();

}  // namespace hawser::tools
