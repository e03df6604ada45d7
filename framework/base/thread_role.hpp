// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cassert>

#include "framework/base/spin_mutex.hpp"
#include "framework/base/thread_annotations.hpp"

namespace hawser {

/// The progress role: whoever holds it polls, and owns the receive half of every module. Not a lock: it is
/// only ever tried, never waited for, and callbacks run while it is held.
class HAWSER_CAPABILITY("role") ThreadRole {
 public:
  /// False: another has it, or this thread has it already.
  bool try_enter() noexcept HAWSER_TRY_ACQUIRE(true) {
    if (!g_many_threads) {
      if (taken_.load(std::memory_order_relaxed)) return false;  // progress inside progress
      taken_.store(true, std::memory_order_relaxed);
      return true;
    }
    return !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire);
  }
  /// By whoever entered.
  void leave() noexcept HAWSER_RELEASE() { taken_.store(false, std::memory_order_release); }
  /// For code that only its holder may run.
  void assert_held() const noexcept HAWSER_ASSERT_HELD(this) {
    assert(taken_.load(std::memory_order_relaxed));
  }
  /// Whether anybody has it.
  bool taken() const noexcept { return taken_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace hawser
