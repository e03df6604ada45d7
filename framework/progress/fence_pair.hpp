// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "framework/base/heavy_barrier.hpp"

namespace hawser::progress {

/// A full fence on each of two sides, of which one is hot: who is about to sleep makes every running thread
/// of the process pass a fence (membarrier, some microseconds), so that in the hot one a bar to the compiler
/// is enough. Where the kernel does not offer that, both are real.
class FencePair {
 public:
  FencePair() noexcept : light_(call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) {}

  void hot() const noexcept { light_fence(light_); }
  void before_sleep() const noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (light_) call(MEMBARRIER_CMD_PRIVATE_EXPEDITED);  // registered: cannot fail
  }

 private:
  static bool call(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

  const bool light_;
};

}  // namespace hawser::progress
