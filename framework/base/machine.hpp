// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

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

/// Where an event leads, by a typed table; nothing: it has no meaning in that state.
template <class State, class Event, class Edge, std::size_t N>
constexpr std::optional<State> machine_next(const std::array<Edge, N>& table, State from,
                                            Event event) noexcept {
  for (const Edge& edge : table) {
    if (edge.from == from && edge.event == event) return edge.to;
  }
  return std::nullopt;
}

/// No edge twice from one state on one event.
template <class Edge, std::size_t N>
constexpr bool machine_is_deterministic(const std::array<Edge, N>& table) noexcept {
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = i + 1; j < N; ++j) {
      if (table[i].from == table[j].from && table[i].event == table[j].event) return false;
    }
  }
  return true;
}

/// No edge leads out of it.
template <class State, class Edge, std::size_t N>
constexpr bool machine_ends_in(const std::array<Edge, N>& table, State state) noexcept {
  for (const Edge& edge : table) {
    if (edge.from == state) return false;
  }
  return true;
}

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
