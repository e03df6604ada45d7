// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/counters.hpp"
#include "framework/live/layout.hpp"
#include "framework/mca/registry.hpp"
#include "mpi/include/mpi.h"

// What the tool interface of the standard (MPI_T) shows. An index, once given, stays: things are added, and
// none is taken away before the process ends.

namespace hawser::mpi::tool {

/// An enumeration: word i has the value i.
struct Enum {
  std::string name;
  std::vector<std::string> words;
};

/// A control variable: a parameter.
struct Cvar {
  std::string name;
  mca::ParamRow row;
  std::string value;  // in the syntax of a parameter file
  mca::Source source = mca::Source::kDefault;
  const Enum* words = nullptr;  // of a bool or a choice
};

/// What of a channel is shown.
using Gauge = std::atomic<std::uint32_t> live::Channel::*;

/// A performance variable: a counter, of one thing or of each module of a component; or a gauge of a
/// communicator, or a text, which can only be read. Where nobody counts any more, the values stay.
struct Pvar {
  std::string name;
  std::string help;
  int verbosity = 0;
  int var_class = MPI_T_PVAR_CLASS_COUNTER;
  std::vector<std::function<std::uint64_t()>> sources;
  std::vector<std::uint64_t> values;  // the last ones seen
  std::string text;                   // instead of values: of class generic, constant
  Gauge gauge = nullptr;              // likewise: of class level, bound to a communicator
  bool is_text() const noexcept { return var_class == MPI_T_PVAR_CLASS_GENERIC; }
  bool counts() const noexcept { return !is_text() && !gauge; }
  /// One element more.
  void add_source(std::function<std::uint64_t()> source);
  /// Reads the counters.
  const std::vector<std::uint64_t>& look();
  /// Nobody counts any more.
  void freeze();
};

struct Category {
  std::string name;
  std::string help;
  std::vector<int> cvars;
  std::vector<int> pvars;
  std::vector<int> categories;
};

/// Things of one kind by number and by name.
template <class Thing>
class Numbered {
 public:
  int size() const noexcept { return static_cast<int>(things_.size()); }
  Thing* at(int index) noexcept {
    return index >= 0 && index < size() ? &things_[static_cast<std::size_t>(index)] : nullptr;
  }
  /// Negative: there is none.
  int find(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? -1 : found->second;
  }
  /// The one of that name; `made` says whether it is new.
  int get(std::string_view name, bool& made) {
    const int found = find(name);
    made = found < 0;
    if (!made) return found;
    Thing thing;
    thing.name = name;
    things_.push_back(std::move(thing));
    return numbers_.emplace(name, size() - 1).first->second;
  }

 private:
  std::deque<Thing> things_;  // they stay where they are
  std::map<std::string, int, std::less<>> numbers_;
};

/// All of them. One thread at a time.
class Catalogue {
 public:
  Numbered<Cvar> cvars;
  Numbered<Pvar> pvars;
  Numbered<Category> categories;
  std::deque<Enum> enums;
  int changes = 0;  // grows whenever something was added

  /// Adds and renews what the registry knows.
  void take(const mca::Registry& registry);
  /// The performance variable of that counter: framework_component_counter.
  Pvar& counter(std::string_view framework, std::string_view component, const CounterInfo& info);
  /// One that is a text.
  Pvar& text(std::string_view framework, std::string_view component, std::string_view name,
             std::string_view help);
  /// One of a communicator's point-to-point messages.
  void gauge(const CounterInfo& info, Gauge gauge);
  /// Null: not one of ours.
  const Enum* find(MPI_T_enum handle) const noexcept;

 private:
  Category& category(std::string_view framework, std::string_view component);
  const Enum* words_of(const std::string& name, const mca::ParamRow& row);
  Pvar& add(std::string_view framework, std::string_view component, std::string_view name, bool& made);
};

}  // namespace hawser::mpi::tool
