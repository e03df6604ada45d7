// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/result.hpp"

namespace hawser::mca {

/// A parsed component list: "tcp,self" names what is used, "^tcp" what is not, "" leaves the choice open.
struct Selection {
  bool exclude = false;            // the list began with a caret
  std::vector<std::string> names;  // each once

  /// Nothing was asked for.
  bool open_choice() const noexcept { return names.empty(); }
  /// Whether the list lets a component of that name be used.
  bool allows(std::string_view name) const;
};

/// Errors (kInvalid), each saying what is wrong and how to write it: a caret that is not at the start, an
/// empty name between commas. Duplicates are merged, blanks around names dropped, upper case is an unknown
/// name.
Result<Selection> parse_selection(std::string_view framework, std::string_view text);

}  // namespace hawser::mca
