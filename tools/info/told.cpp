// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/info/told.hpp"

#include <fmt/format.h>

#include <cstring>

#include "bml/bml.hpp"
#include "framework/live/layout.hpp"
#include "framework/peers/gate_states.hpp"

namespace hawser::tools {

namespace {

constexpr const char* kModule = "module: one interface, and one link over it";

/// Without those that every component has.
std::span<const CounterInfo> own_counters(std::span<const CounterInfo> all) {
  const std::size_t base = std::size(btl::kBaseCounterInfo);
  if (all.size() < base) return all;
  for (std::size_t i = 0; i < base; ++i) {
    if (std::strcmp(all[i].name, btl::kBaseCounterInfo[i].name) != 0) return all;
  }
  return all.subspan(base);
}

}  // namespace

std::vector<Teller> tellers(Findings& findings) {
  std::vector<Teller> all;
  all.push_back({"bml", "rank: all its peers together", {bml::kGuardCounterInfo, {}}});
  all.push_back({"the loader", "", {{}, {&loader::kStageMachine, 1}}});
  all.push_back({"the framework", "", {{}, {&peers::kGateMachine, 1}}});
  all.push_back({"rails", "rail to each peer", {live::kRailCounterInfo, {}}});
  all.push_back({"every component", kModule, {btl::kBaseCounterInfo, {}}});
  for (const auto& plugin : findings.loader.plugins()) {
    const bool there = plugin.stage == loader::Stage::kSelected || plugin.stage == loader::Stage::kExcluded ||
                       plugin.stage == loader::Stage::kLoaded;
    if (!there) continue;
    const auto descriptor = findings.loader.descriptor(plugin.name);
    if (!descriptor) continue;
    const auto judged = loader::told_by(**descriptor);
    if (!judged) {
      findings.errors.push_back(fmt::format("component {}: {}", plugin.name, judged.error().text));
      continue;
    }
    loader::Told told = *judged;
    if (told.counters.empty()) {
      findings.notes.push_back(fmt::format("component {} does not tell what it counts", plugin.name));
    }
    told.counters = own_counters(told.counters);
    all.push_back({"component " + plugin.name, kModule, told});
  }
  return all;
}

}  // namespace hawser::tools
