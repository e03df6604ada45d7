// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace hawser::mca {

enum class ParamType : std::uint32_t {
  kBool,    // storage: bool; true, false, yes, no, on, off, enabled, disabled, 1, 0
  kInt,     // storage: std::int64_t; decimal or 0x hexadecimal
  kSize,    // storage: std::uint64_t, bytes; suffixes k, m, g (powers of 1024), optionally followed by b
  kTime,    // storage: std::uint64_t, nanoseconds; suffixes ns, us, ms, s, min; a bare number is in `unit`
  kString,  // storage: const char*, owned by the registry, never null
  kChoice,  // storage: const char*; one of the words in `choices`
};

enum class ParamScope : std::uint32_t {
  kJob,      // must be equal in all ranks
  kProcess,  // each rank may have its own
};

/// One parameter, declared once. Plain C layout: this is how parameters cross the plug-in boundary.
/// `name` is without the prefix that the registry puts before it ("links" becomes "btl_tcp_links").
struct ParamRow {
  const char* name;          // lower case, digits, underscores
  ParamType type;            // says what `storage` points to
  ParamScope scope;          // who must agree
  void* storage;             // written when the registry resolves, before open(); constant after
  const char* default_text;  // in the syntax of a parameter file
  std::int64_t min;          // kInt, kSize, kTime: smallest allowed value
  std::int64_t max;          // kInt, kSize, kTime: largest allowed value
  const char* unit;          // "bytes", "us", ...; "" if it has none
  const char* choices;       // kChoice: words with '|' between; kTime, kSize: "auto" or ""; else ""
  std::int32_t level;        // 1 (everybody) to 9 (developers)
  const char* help;          // compulsory
};

/// What a kTime or kSize parameter holds that was set to the word "auto", where its row allows that.
inline constexpr std::uint64_t kAuto = std::numeric_limits<std::uint64_t>::max();

/// A range of allowed values.
struct Range {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();  // included
  std::int64_t max = std::numeric_limits<std::int64_t>::max();  // included
};

/// A text that must be written: an empty help does not compile.
struct Help {
  const char* text;  // not empty
  /// Compile-time only.
  consteval Help(const char* words) : text(words) {
    if (words == nullptr || words[0] == '\0') throw "a parameter needs a help text";
  }
};

// Makers of rows, one per type.
inline ParamRow param_bool(const char* name, bool* storage, const char* value, int level, Help help) {
  return {name, ParamType::kBool, ParamScope::kJob, storage, value, 0, 1, "", "", level, help.text};
}
inline ParamRow param_int(const char* name, std::int64_t* storage, const char* value, Range range, int level,
                          Help help, const char* unit = "") {
  return {name, ParamType::kInt, ParamScope::kJob, storage, value, range.min, range.max, unit,
          "",   level,           help.text};
}
inline ParamRow param_size(const char* name, std::uint64_t* storage, const char* value, Range range,
                           int level, Help help) {
  return {name,  ParamType::kSize, ParamScope::kJob, storage, value, range.min, range.max, "bytes", "",
          level, help.text};
}
inline ParamRow param_time(const char* name, std::uint64_t* storage_ns, const char* value, Range range_ns,
                           int level, Help help, const char* unit) {
  return {name,  ParamType::kTime, ParamScope::kJob, storage_ns, value, range_ns.min, range_ns.max, unit, "",
          level, help.text};
}
/// Also takes the word "auto", stored as kAuto.
inline ParamRow param_time_or_auto(const char* name, std::uint64_t* storage_ns, const char* value,
                                   Range range_ns, int level, Help help, const char* unit) {
  return {
      name,  ParamType::kTime, ParamScope::kJob, storage_ns, value, range_ns.min, range_ns.max, unit, "auto",
      level, help.text};
}
inline ParamRow param_string(const char* name, const char** storage, const char* value, int level,
                             Help help) {
  return {name, ParamType::kString, ParamScope::kJob, storage, value, 0, 0, "", "", level, help.text};
}
inline ParamRow param_choice(const char* name, const char** storage, const char* value, const char* choices,
                             int level, Help help) {
  return {name, ParamType::kChoice, ParamScope::kJob, storage, value, 0, 0, "", choices, level, help.text};
}

}  // namespace hawser::mca
