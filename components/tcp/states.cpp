// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/states.hpp"

#include <iterator>

namespace hawser::tcp {

namespace {

constexpr MachineWord kStates[] = {
    {"idle", "nobody has asked for a connection"},
    {"connecting", "our connection is on its way; nothing was said on it"},
    {"hello sent", "our hello is out"},
    {"tie won", "our hello is out, and the peer's connection is parked: we are the lower rank"},
    {"tie lost", "our hello is out, and we answered the peer's: it is the lower rank"},
    {"hello wait", "we answered the peer's hello and wait for its proof"},
    {"backing off", "pause before the next attempt"},
    {"ready", "carries messages"},
    {"leaving", "no rail any more: only what the peer has sent is still read"},
    {"closing", "the peer said goodbye"},
    {"failed", "gave up, or lost; final"},
    {"closed", "let go in good order; final"},
};
static_assert(std::size(kStates) == static_cast<std::size_t>(State::kCount), "describe every state");

constexpr MachineWord kEvents[] = {
    {"dial", "somebody wants to send"},
    {"connected", "our connection stands"},
    {"dial failed", "our connection came to nothing; another attempt is allowed"},
    {"inbound", "a hello from the peer, and no tie"},
    {"inbound wins", "a hello from the lower rank while ours is out"},
    {"inbound loses", "a hello from the higher rank while ours is out"},
    {"inbound lost", "the peer's connection broke before its proof came"},
    {"answer", "the peer answered our hello"},
    {"duplicate", "the peer says that its own connection won"},
    {"proof", "the peer proved itself on its connection"},
    {"timer", "the pause is over"},
    {"retire", "the address of one side went away, or the descriptor is needed"},
    {"goodbye", "the peer leaves"},
    {"lost", "the connection in use broke"},
    {"give up", "no more attempts; or the rail is no longer one"},
    {"close", "we leave"},
};
static_assert(std::size(kEvents) == static_cast<std::size_t>(Event::kCount), "describe every event");

constexpr auto kMachineEdges = machine_edges(kEdges);

}  // namespace

constinit const MachineInfo kMachine = machine_info(
    "tcp rail",
    "A rail to one peer. Of two simultaneous connections the lower rank's wins; the lower rank alone "
    "decides, and the other side learns it from what it says on either connection.",
    kStates, kEvents, kMachineEdges);

const char* to_text(State state) noexcept {
  return state < State::kCount ? kStates[static_cast<std::size_t>(state)].name : "unknown";
}

const char* to_text(Event event) noexcept {
  return event < Event::kCount ? kEvents[static_cast<std::size_t>(event)].name : "unknown";
}

}  // namespace hawser::tcp
