// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/base/heavy_barrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hawser {

namespace {

long membarrier(int command) noexcept {
  return ::syscall(SYS_membarrier, command, 0, 0);
}

}  // namespace

bool register_heavy_barriers() noexcept {
  const long known = membarrier(MEMBARRIER_CMD_QUERY);
  return known > 0 && (known & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0 &&
         membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

void heavy_fence(bool heavy) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (heavy) membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

}  // namespace hawser
