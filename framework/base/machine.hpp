// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hawser {

/// A state or an event, for people.
struct MachineWord {
  const char* name;  // one or two words
  const char* help;  // one line
};

/// On `event` in state `from` comes state `to`: indices of MachineInfo::states and MachineInfo::events.
struct MachineEdge {
  std::uint16_t from;   // a state
  std::uint16_t event;  // what happens in it
  std::uint16_t to;     // the state after
};

/// A state machine as its table of edges; plain C so that it crosses the plug-in boundary. The first state is
/// the one it begins with. `hawser info --machines` prints it.
struct MachineInfo {
  const char* name;           // "tcp rail"
  const char* help;           // one line
  const MachineWord* states;  // state_count of them
  const MachineWord* events;  // event_count of them
  const MachineEdge* edges;   // edge_count of them
  std::uint32_t state_count;  // at least 1
  std::uint32_t event_count;  // at least 1
  std::uint32_t edge_count;   // none twice from one state on one event
};

/// The edges of a typed table (`from`, `event`, `to` are enums), as MachineInfo has them.
template <class Edge, std::size_t N>
constexpr std::array<MachineEdge, N> machine_edges(const std::array<Edge, N>& table) noexcept {
  std::array<MachineEdge, N> edges{};
  for (std::size_t i = 0; i < N; ++i) {
    edges[i] = {static_cast<std::uint16_t>(table[i].from), static_cast<std::uint16_t>(table[i].event),
                static_cast<std::uint16_t>(table[i].to)};
  }
  return edges;
}

/// The same from its tables; all of static life, one word for each state and event.
template <std::size_t States, std::size_t Events, std::size_t Edges>
constexpr MachineInfo machine_info(const char* name, const char* help, const MachineWord (&states)[States],
                                   const MachineWord (&events)[Events],
                                   const std::array<MachineEdge, Edges>& edges) noexcept {
  return {name, help, states, events, edges.data(), States, Events, Edges};
}

}  // namespace hawser
