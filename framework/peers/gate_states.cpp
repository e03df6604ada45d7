// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/peers/gate_states.hpp"

#include <iterator>

namespace hawser::peers {
namespace {

constexpr MachineWord kStates[] = {
    {"shut", "who comes is parked, in order"},
    {"open", "nobody is parked, and who comes goes on himself"},
    {"broken", "who comes is told so"},
};
static_assert(std::size(kStates) == static_cast<std::size_t>(GateState::kCount), "describe every state");

constexpr MachineWord kEvents[] = {
    {"empty", "a drain sees that nobody is parked any more, in one hold of the lock that parks"},
    {"turned back", "somebody who passed was refused below: he is the first of the parked"},
    {"shattered", "the way is gone: all who are parked are handed back"},
    {"shut", "for a new connection"},
};
static_assert(std::size(kEvents) == static_cast<std::size_t>(GateEvent::kCount), "describe every event");

constexpr auto kEdges = machine_edges(kGateEdges);

}  // namespace

constinit const MachineInfo kGateMachine =
    machine_info("gate",
                 "Where messages wait until their way is open: before each rail of tcp, and before the rails "
                 "of each peer.",
                 kStates, kEvents, kEdges);

}  // namespace hawser::peers
