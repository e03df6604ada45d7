// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/mca/param_row.hpp"

namespace hawser::mca {

/// A parsed value: kBool; kInt; kSize and kTime; kString and kChoice.
using Value = std::variant<bool, std::int64_t, std::uint64_t, std::string>;

/// The one parser of values, for every source. Takes the whole text or nothing. The error (kInvalid) says
/// what is wrong with the text and what is allowed; the caller adds name and source.
Result<Value> parse_value(const ParamRow& row, std::string_view text);

/// What is allowed, for people: "1 to 64", "0 to 16m bytes", "true or false", "one of warn, ignore, error".
std::string allowed_text(const ParamRow& row);

/// The words of a kChoice.
std::vector<std::string> choice_words(const ParamRow& row);

/// "int", "size", "time", ...
const char* to_text(ParamType type) noexcept;

/// The text without blanks, tabs and line ends at both ends.
std::string_view trim(std::string_view text) noexcept;

}  // namespace hawser::mca
