// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/mca/declaration.hpp"

#include <algorithm>
#include <set>

#include "framework/mca/value.hpp"

namespace hawser::mca {

namespace {

bool good_name(std::string_view name) {
  auto good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && std::ranges::all_of(name, good);
}

/// What is wrong with one row; null if nothing is.
const char* fault_of(const ParamRow& row) {
  if (!row.default_text || !row.unit || !row.choices) return "has a null text";
  if (row.type > ParamType::kChoice) return "has a type that this version does not know";
  if (!row.help || row.help[0] == '\0') return "has no help";
  if (!row.storage) return "has no storage";
  if (row.level < 1 || row.level > 9) return "has a level that is not 1 to 9";
  if (row.min > row.max) return "has a range that is empty";
  if (row.type == ParamType::kChoice && row.choices[0] == '\0') return "has no choices";
  return nullptr;
}

}  // namespace

std::string full_name(std::string_view framework, std::string_view component, std::string_view name) {
  std::string full;
  for (std::string_view part : {framework, component, name}) {
    if (part.empty()) continue;
    if (!full.empty()) full += '_';
    full += part;
  }
  return full;
}

Result<void> check_declaration(std::string_view framework, std::string_view component, const ParamRow* rows,
                               std::size_t count) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < count; ++i) {
    const ParamRow& row = rows[i];
    std::string name = full_name(framework, component, row.name ? row.name : "");
    if (!row.name || !good_name(name)) {
      return make_error(Errc::kUnsupported,
                        "parameter {} of {} has a name with other letters than a-z, 0-9 and _", i,
                        full_name(framework, component, ""));
    }
    if (const char* fault = fault_of(row))
      return make_error(Errc::kUnsupported, "parameter {} {}", name, fault);
    if (!seen.insert(name).second)
      return make_error(Errc::kUnsupported, "parameter {} is declared twice", name);
    if (auto value = parse_value(row, row.default_text); !value) {
      return make_error(Errc::kUnsupported, "parameter {} has a bad default: {}", name, value.error().text);
    }
  }
  return {};
}

}  // namespace hawser::mca
