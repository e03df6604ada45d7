// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What a plug-in tells of itself for people, judged before anybody reads it.
#include <fmt/format.h>

#include "framework/loader/loader.hpp"

namespace hawser::loader {

namespace {

constexpr std::uint32_t kMostRows = 4096;  // of one table; more is damage

/// Rows of a table; without one there are none.
bool is_table(const void* rows, std::uint32_t count) noexcept {
  return count == 0 || (rows && count <= kMostRows);
}

bool is_text(const char* text) noexcept {
  return text && *text != '\0';
}

bool are_words(const MachineWord* words, std::uint32_t count) noexcept {
  if (count == 0 || !is_table(words, count)) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!is_text(words[i].name) || !is_text(words[i].help)) return false;
  }
  return true;
}

Result<void> check_counters(const CounterInfo* counters, std::uint32_t count) {
  if (!is_table(counters, count)) return make_error(Errc::kInvalid, "its list of counters is damaged");
  for (std::uint32_t i = 0; i < count; ++i) {
    const CounterInfo& info = counters[i];
    if (is_text(info.name) && is_text(info.unit) && is_text(info.help)) continue;
    return make_error(Errc::kInvalid, "counter {} of those it tells of lacks name, unit or help", i);
  }
  return {};
}

Result<void> check_machine(const MachineInfo& info, std::uint32_t index) {
  if (!is_text(info.name) || !is_text(info.help)) {
    return make_error(Errc::kInvalid, "state machine {} of those it tells of lacks name or help", index);
  }
  const auto bad = [&](const char* what) {
    return make_error(Errc::kInvalid, "state machine \"{}\": {}", info.name, what);
  };
  if (!are_words(info.states, info.state_count)) return bad("its states are none, or lack name or help");
  if (!are_words(info.events, info.event_count)) return bad("its events are none, or lack name or help");
  if (!is_table(info.edges, info.edge_count)) return bad("its list of edges is damaged");
  for (std::uint32_t i = 0; i < info.edge_count; ++i) {
    const MachineEdge& edge = info.edges[i];
    if (edge.from >= info.state_count || edge.to >= info.state_count || edge.event >= info.event_count) {
      return bad(fmt::format("edge {} leads outside its tables", i).c_str());
    }
  }
  return {};
}

Result<void> check_machines(const MachineInfo* machines, std::uint32_t count) {
  if (!is_table(machines, count)) return make_error(Errc::kInvalid, "its list of state machines is damaged");
  for (std::uint32_t i = 0; i < count; ++i) {
    if (auto good = check_machine(machines[i], i); !good) return good;
  }
  return {};
}

}  // namespace

Result<Told> told_by(const hawser_btl_descriptor& descriptor) {
  if (descriptor.abi_minor < 1) return Told{};
  if (auto good = check_counters(descriptor.counters, descriptor.counter_count); !good) return good.error();
  if (auto good = check_machines(descriptor.machines, descriptor.machine_count); !good) return good.error();
  return Told{{descriptor.counters, descriptor.counter_count},
              {descriptor.machines, descriptor.machine_count}};
}

}  // namespace hawser::loader
