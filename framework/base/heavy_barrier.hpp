// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace hawser {

// Two sides that each store one thing and then look at what the other stored need a full fence between, or
// both may miss the other's store. Where one side is on a hot path and the other is about to sleep, the
// sleeper pays for both: its heavy barrier makes every running thread of every registered process pass a full
// fence, and the hot side's is then only a bar to the compiler.

/// Registers this process for heavy barriers. False: the kernel has none, or it is not permitted.
bool register_heavy_barriers() noexcept;
/// The sleeper's fence. `heavy`: both sides are registered.
void heavy_fence(bool heavy) noexcept;
/// The hot side's fence. `light`: the sleeper's is heavy.
inline void light_fence(bool light) noexcept {
  light ? std::atomic_signal_fence(std::memory_order_seq_cst)
        : std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace hawser
