// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "framework/base/machine.hpp"

namespace hawser::peers {

/// What a gate is to those who come. What each state and event means: gate_states.cpp.
enum class GateState : std::uint8_t { kShut, kOpen, kBroken, kCount };

/// What changes it.
enum class GateEvent : std::uint8_t { kEmpty, kTurnedBack, kShattered, kShut, kCount };

struct GateEdge {
  GateState from;
  GateEvent event;
  GateState to;
};

/// Each event in each state in which it can come: `Gate` sees to it that no other does.
inline constexpr std::array kGateEdges{
    GateEdge{GateState::kShut, GateEvent::kEmpty, GateState::kOpen},
    GateEdge{GateState::kShut, GateEvent::kTurnedBack, GateState::kShut},
    GateEdge{GateState::kOpen, GateEvent::kTurnedBack, GateState::kShut},
    GateEdge{GateState::kShut, GateEvent::kShattered, GateState::kBroken},
    GateEdge{GateState::kOpen, GateEvent::kShattered, GateState::kBroken},
    GateEdge{GateState::kBroken, GateEvent::kShattered, GateState::kBroken},
    GateEdge{GateState::kShut, GateEvent::kShut, GateState::kShut},
    GateEdge{GateState::kOpen, GateEvent::kShut, GateState::kShut},
    GateEdge{GateState::kBroken, GateEvent::kShut, GateState::kShut},
};

/// Where an event leads. kCount: it has no meaning in that state.
constexpr GateState next_state(GateState from, GateEvent event) noexcept {
  for (const GateEdge& edge : kGateEdges) {
    if (edge.from == from && edge.event == event) return edge.to;
  }
  return GateState::kCount;
}

static_assert(next_state(GateState::kBroken, GateEvent::kEmpty) == GateState::kCount &&
                  next_state(GateState::kBroken, GateEvent::kTurnedBack) == GateState::kCount,
              "what is broken does not open, and keeps nothing, until it is shut for a new connection");
static_assert(next_state(GateState::kOpen, GateEvent::kEmpty) == GateState::kCount, "it opens once");

/// For `hawser info --machines`.
extern const MachineInfo kGateMachine;

}  // namespace hawser::peers
