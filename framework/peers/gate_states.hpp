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

/// On `event` in state `from` comes state `to`.
struct GateEdge {
  GateState from;   // a state
  GateEvent event;  // what happens in it
  GateState to;     // the state after
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

static_assert(machine_is_deterministic(kGateEdges));
static_assert(!machine_next(kGateEdges, GateState::kBroken, GateEvent::kEmpty) &&
                  !machine_next(kGateEdges, GateState::kBroken, GateEvent::kTurnedBack),
              "what is broken does not open, and keeps nothing, until it is shut for a new connection");
static_assert(!machine_next(kGateEdges, GateState::kOpen, GateEvent::kEmpty), "it opens once");

/// For `hawser info --machines`.
extern const MachineInfo kGateMachine;

}  // namespace hawser::peers
