// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/params_input.hpp"

#include <cstdlib>
#include <string_view>

#include "framework/mca/param_file.hpp"
#include "framework/mca/selection.hpp"
#include "framework/mca/value.hpp"
#include "framework/runtime/proc_blob.hpp"

namespace hawser::mca {
namespace {

void require(bool promise) {
  if (!promise) std::abort();
}

constexpr Range kRange{-5, 1 << 20};

void read_value(const std::string& text) {
  static bool on;
  static std::int64_t number;
  static std::uint64_t size, time;
  static const char* words;
  static const ParamRow rows[] = {param_bool("on", &on, "true", 1, "help"),
                                  param_int("number", &number, "1", kRange, 1, "help"),
                                  param_size("size", &size, "1", {0, kRange.max}, 1, "help"),
                                  param_time_or_auto("time", &time, "1", {0, kRange.max}, 1, "help", "us"),
                                  param_string("words", &words, "", 1, "help"),
                                  param_choice("choice", &words, "a", "a|bc|d", 1, "help")};
  for (const ParamRow& row : rows) {
    const auto value = parse_value(row, text);
    if (!value) {
      require(!value.error().text.empty());
      continue;
    }
    if (row.type == ParamType::kInt) {
      const std::int64_t got = std::get<std::int64_t>(*value);
      require(got >= row.min && got <= row.max);
    }
    if (row.type == ParamType::kSize || row.type == ParamType::kTime) {
      const std::uint64_t got = std::get<std::uint64_t>(*value);
      require(got <= static_cast<std::uint64_t>(row.max) || (got == kAuto && row.type == ParamType::kTime));
    }
  }
}

void read_file(std::string_view text) {
  const auto settings = parse_param_text(text, "a file", Source::kUserFile);
  if (!settings) return require(!settings.error().text.empty());
  for (const Setting& setting : *settings) {
    require(!setting.name.empty() && setting.name.find_first_of(" \t\n=") == std::string::npos);
    require(setting.value.find('\n') == std::string::npos && setting.where.rfind("a file:", 0) == 0);
    read_value(setting.value);
  }
}

void read_list(std::string_view text) {
  const auto list = parse_selection("btl", text);
  if (!list) return require(!list.error().text.empty());
  for (const std::string& name : list->names) {
    require(!name.empty() && trim(name) == name && name.find_first_of(",^") == std::string::npos);
    require(list->allows(name) != list->exclude);
  }
}

void read_published(std::string_view text) {
  const auto proc = runtime::read_proc(3, text);
  if (!proc) return require(!proc.error().text.empty());
  require(proc->rank == 3 && runtime::write_proc(*proc) == text);
}

}  // namespace

void read_foreign_input(const unsigned char* data, std::size_t size) {
  if (size == 0) return;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case kFeedFile:
      return read_file(text);
    case kFeedList:
      return read_list(text);
    default:
      return read_published(text);
  }
}

}  // namespace hawser::mca
