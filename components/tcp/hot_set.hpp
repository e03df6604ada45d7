// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/base/cpu.hpp"

namespace hawser::tcp {

class Endpoint;

/// The few connections that are busy just now. Each pass reads them itself, without asking the event loop,
/// which does not watch them for bytes meanwhile: a message costs one system call less, and its sender no
/// wake-up of the event loop. All others cost a pass nothing. Bulk is left to the event loop: whoever asks
/// again and again gets it in small pieces, and keeps the sender from the socket's lock. Progress role only.
class HotSet {
 public:
  /// Bytes came while the event loop watched. A connection that is heard twice between two sleeps is busy.
  void heard(Endpoint& endpoint) noexcept;
  /// Reads each. How much came.
  int poll() noexcept { return HAWSER_LIKELY(count_ == 0) ? 0 : poll_all(); }
  /// The event loop watches all again: before the process sleeps.
  void cool_all() noexcept;
  /// The event loop watches that one again.
  void forget(Endpoint& endpoint) noexcept;

 private:
  static constexpr std::size_t kMost = 4;  // asking more by themselves costs more than asking the event loop

  struct Entry {
    Endpoint* endpoint;
    std::uint32_t misses;
  };
  int poll_all() noexcept;
  void cool(std::size_t index) noexcept;

  Entry entries_[kMost] = {};
  std::size_t count_ = 0;
  std::uint32_t sleeps_ = 1;
};

}  // namespace hawser::tcp
