// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/states.hpp"

namespace hawser::tcp {

const char* to_text(State state) noexcept {
  static constexpr const char* kNames[] = {"idle",     "connecting", "hello sent",  "tie won",
                                           "tie lost", "hello wait", "backing off", "ready",
                                           "leaving",  "closing",    "failed",      "closed"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(State::kCount));
  return state < State::kCount ? kNames[static_cast<std::size_t>(state)] : "unknown";
}

const char* to_text(Event event) noexcept {
  static constexpr const char* kNames[] = {"dial",         "connected",     "dial failed",  "inbound",
                                           "inbound wins", "inbound loses", "inbound lost", "answer",
                                           "duplicate",    "proof",         "timer",        "retire",
                                           "goodbye",      "lost",          "give up",      "close"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Event::kCount));
  return event < Event::kCount ? kNames[static_cast<std::size_t>(event)] : "unknown";
}

}  // namespace hawser::tcp
