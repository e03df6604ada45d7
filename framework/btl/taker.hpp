// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "framework/btl/endpoint.hpp"

namespace hawser::btl {

struct Head;

/// The optional ability of a module to hand over the one message that is waited for without a handler's call:
/// what lies between its coming and the receiver's return is what a small message costs. Since 1.2.
class Taker {
 public:
  /// Looks up to `looks` times whether the next message of that peer has come. If it has the header and tag
  /// of `head`, and at most `room` bytes of data, they are copied to `memory` and the message is done: no
  /// handler is called, the counters count it as delivered. How many bytes; -1: none came, or one that goes
  /// the usual way (another, a long one, or as the component likes): nothing was done, and progress delivers
  /// it. Order stays: never a message before one that progress would deliver first. On a rail that is gone or
  /// was given up: -1. `looks`: at least 1. Progress role, in a process with one thread.
  virtual std::ptrdiff_t take(Endpoint& endpoint, Head head, void* memory, std::size_t room,
                              unsigned looks) noexcept = 0;

 protected:
  ~Taker() = default;
};

}  // namespace hawser::btl
