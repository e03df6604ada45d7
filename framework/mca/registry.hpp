// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/mca/param_row.hpp"

namespace hawser::mca {

/// Where a value came from, weakest first.
enum class Source {
  kDefault,
  kSystemFile,
  kUserFile,
  kTuneFile,
  kOmpiEnvironment,
  kEnvironment,
  kCommandLine,
  kTool,
  kOverrideFile
};

/// A parameter with its value in effect, for people and tools.
struct ParamView {
  std::string name;                  // full: "btl_tcp_links"
  std::string framework;             // "btl"; "" for hawser's own
  std::string component;             // "tcp"; "" for the framework's own
  std::string value;                 // as text, in the syntax of a parameter file
  Source source = Source::kDefault;  // who gave the value
  std::string where;                 // "FILE:LINE", "environment HAWSER_MCA_x", "command line", "default"
  const ParamRow* row = nullptr;     // as declared; never null
};

/// One `name = value` that a source gave.
struct Setting {
  std::string name;   // full
  std::string value;  // as text
  Source source;      // how strong it is
  std::string where;  // for people
};

/// All parameters of the process. Order of use: declare everything, `resolve` once, then read the storage of
/// the rows; no look-up after start. Not thread-safe: belongs to start-up.
class Registry {
 public:
  Registry();
  ~Registry();
  /// Storage stays where it is.
  Registry(Registry&&) noexcept;
  /// Storage stays where it is.
  Registry& operator=(Registry&&) noexcept;

  /// Full name: framework_component_name, with empty parts left out. The rows are copied; their texts and
  /// storage must outlive the registry. Values of sources that were read already are applied at once. Two
  /// parameters of one declaration that differ only in `_include` and `_exclude` at the end exclude each
  /// other. Errors: kUnsupported: the declaration itself is wrong (a name twice, no help, a bad default), and
  /// nothing of it was taken; kInvalid: a setting has a bad value; all rows are declared, and that one keeps
  /// its default.
  Result<void> declare(std::string_view framework, std::string_view component, const ParamRow* rows,
                       std::size_t count);

  /// At most one of the two may be set to something else than its default and the empty text. The error
  /// prints both values with their sources; no source wins silently.
  Result<void> exclude_each_other(std::string_view name, std::string_view other);

  /// Reads every source: files, environment, command-line settings handed down by the launcher, override
  /// file. Errors: a file that cannot be parsed, a value of the wrong type or range, the same name twice with
  /// different values on one level; each with name, value, allowed range and source.
  Result<void> read_sources();

  /// Sources as given, for tests and tools; instead of or after read_sources(). Of two settings from one kind
  /// of source, the one of the later call is stronger.
  Result<void> apply(const std::vector<Setting>& settings);

  /// Sets one declared parameter by hand; the storage of no other is touched. On an error nothing has
  /// changed: kNotFound: nobody declared it; kPermission: a stronger source fixes its value; kInvalid: not
  /// an allowed value, or one that excludes what another parameter is set to.
  Result<void> set(const Setting& setting);

  /// All, in the order of their declaration.
  std::vector<ParamView> list() const;
  /// By full name; null: nobody declared it.
  const ParamView* find(std::string_view name) const;

  /// Settings whose name nobody declared and that belong to no known component, each with the nearest known
  /// name: one line of text each. `known_prefixes` are names that may not be judged ("btl_ofi_" of a
  /// component that is present but was not loaded).
  std::vector<std::string> unknown_settings(const std::vector<std::string>& known_prefixes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

const char* to_text(Source source) noexcept;

}  // namespace hawser::mca
