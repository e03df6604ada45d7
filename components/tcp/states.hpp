// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "framework/base/machine.hpp"

namespace hawser::tcp {

/// The life of a rail to one peer. Of two simultaneous connections the lower rank's wins; the lower rank
/// alone decides, and the other side learns it from what it says on either connection. What each state and
/// event means: states.cpp.
enum class State : std::uint8_t {
  kIdle,
  kConnecting,
  kHelloSent,
  kTieWon,
  kTieLost,
  kHelloWait,
  kBackoff,
  kReady,
  kLeaving,
  kClosing,
  kFailed,
  kClosed,
  kCount
};

enum class Event : std::uint8_t {
  kDial,
  kConnected,
  kDialFailed,
  kInbound,
  kInboundWins,
  kInboundLoses,
  kInboundLost,
  kAnswer,
  kDuplicate,
  kProof,
  kTimer,
  kRetire,
  kGoodbye,
  kLost,
  kGiveUp,
  kClose,
  kCount
};

struct Edge {
  State from;
  Event event;
  State to;
};

inline constexpr std::array kEdges{
    Edge{State::kIdle, Event::kDial, State::kConnecting},
    Edge{State::kIdle, Event::kInbound, State::kHelloWait},
    Edge{State::kIdle, Event::kGiveUp, State::kFailed},
    Edge{State::kConnecting, Event::kConnected, State::kHelloSent},
    Edge{State::kConnecting, Event::kDialFailed, State::kBackoff},
    Edge{State::kConnecting, Event::kInbound, State::kHelloWait},  // ours has said nothing: it is dropped
    Edge{State::kConnecting, Event::kGiveUp, State::kFailed},
    Edge{State::kHelloSent, Event::kAnswer, State::kReady},
    Edge{State::kHelloSent, Event::kInboundWins, State::kTieLost},
    Edge{State::kHelloSent, Event::kInboundLoses, State::kTieWon},
    Edge{State::kHelloSent, Event::kDuplicate, State::kBackoff},
    Edge{State::kHelloSent, Event::kDialFailed, State::kBackoff},
    Edge{State::kHelloSent, Event::kGiveUp, State::kFailed},
    Edge{State::kTieWon, Event::kAnswer, State::kReady},
    Edge{State::kTieWon, Event::kInboundLoses, State::kTieWon},  // the peer tries again: the newer is parked
    Edge{State::kTieWon, Event::kInboundLost, State::kHelloSent},
    Edge{State::kTieWon, Event::kDialFailed, State::kHelloWait},  // the parked one is promoted
    Edge{State::kTieWon, Event::kGiveUp, State::kFailed},
    Edge{State::kTieLost, Event::kProof, State::kReady},
    Edge{State::kTieLost, Event::kAnswer, State::kReady},  // the peer gave its own up and promoted ours
    Edge{State::kTieLost, Event::kInboundWins, State::kTieLost},
    Edge{State::kTieLost, Event::kInboundLost, State::kHelloSent},
    Edge{State::kTieLost, Event::kDuplicate, State::kHelloWait},
    Edge{State::kTieLost, Event::kDialFailed, State::kHelloWait},
    Edge{State::kTieLost, Event::kGiveUp, State::kFailed},
    Edge{State::kHelloWait, Event::kProof, State::kReady},
    Edge{State::kHelloWait, Event::kInbound, State::kHelloWait},  // the peer tries again: the newer counts
    Edge{State::kHelloWait, Event::kInboundLost, State::kIdle},
    Edge{State::kHelloWait, Event::kGiveUp, State::kFailed},
    Edge{State::kBackoff, Event::kTimer, State::kConnecting},
    Edge{State::kBackoff, Event::kInbound, State::kHelloWait},
    Edge{State::kBackoff, Event::kGiveUp, State::kFailed},
    Edge{State::kReady, Event::kRetire, State::kLeaving},
    Edge{State::kLeaving, Event::kLost, State::kFailed},
    Edge{State::kReady, Event::kGoodbye, State::kClosing},
    Edge{State::kReady, Event::kLost, State::kFailed},
    Edge{State::kClosing, Event::kLost, State::kClosed},
    Edge{State::kIdle, Event::kClose, State::kClosed},
    Edge{State::kConnecting, Event::kClose, State::kClosed},
    Edge{State::kHelloSent, Event::kClose, State::kClosed},
    Edge{State::kTieWon, Event::kClose, State::kClosed},
    Edge{State::kTieLost, Event::kClose, State::kClosed},
    Edge{State::kHelloWait, Event::kClose, State::kClosed},
    Edge{State::kBackoff, Event::kClose, State::kClosed},
    Edge{State::kReady, Event::kClose, State::kClosed},
    Edge{State::kLeaving, Event::kClose, State::kClosed},
    Edge{State::kClosing, Event::kClose, State::kClosed},
};

/// Where an event leads; nothing if it has no meaning in that state.
constexpr std::optional<State> next_state(State from, Event event) noexcept {
  return machine_next(kEdges, from, event);
}

namespace edge_checks {

constexpr bool reaches(State from, State to) noexcept {
  std::array<bool, static_cast<std::size_t>(State::kCount)> seen{};
  seen[static_cast<std::size_t>(from)] = true;
  for (std::size_t round = 0; round < seen.size(); ++round) {
    for (const Edge& edge : kEdges) {
      if (seen[static_cast<std::size_t>(edge.from)]) seen[static_cast<std::size_t>(edge.to)] = true;
    }
  }
  return seen[static_cast<std::size_t>(to)];
}
constexpr bool every_live_state_closes_and_ends() noexcept {
  for (std::size_t i = 0; i < static_cast<std::size_t>(State::kCount); ++i) {
    const State state = static_cast<State>(i);
    if (machine_ends_in(kEdges, state)) continue;
    if (!next_state(state, Event::kClose) || !reaches(State::kIdle, state)) return false;
  }
  return true;
}

}  // namespace edge_checks

static_assert(machine_is_deterministic(kEdges));
static_assert(machine_ends_in(kEdges, State::kFailed) && machine_ends_in(kEdges, State::kClosed));
static_assert(edge_checks::reaches(State::kIdle, State::kReady));
static_assert(edge_checks::reaches(State::kBackoff, State::kFailed));
static_assert(!edge_checks::reaches(State::kReady, State::kIdle),
              "a rail that was in use is not set up again");
static_assert(edge_checks::every_live_state_closes_and_ends());

/// For `hawser info --machines`.
extern const MachineInfo kMachine;

const char* to_text(State state) noexcept;
const char* to_text(Event event) noexcept;

}  // namespace hawser::tcp
