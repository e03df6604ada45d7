// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/base/thread_slot.hpp"

#include <atomic>
#include <bit>
#include <cstdint>

namespace hawser::detail {

namespace {

std::atomic<std::uint32_t> g_taken{0};

unsigned take() noexcept {
  std::uint32_t taken = g_taken.load(std::memory_order_relaxed);
  for (;;) {
    const auto free = static_cast<unsigned>(std::countr_one(taken));
    if (free >= kThreadSlots) return kThreadSlots;
    if (g_taken.compare_exchange_weak(taken, taken | 1u << free, std::memory_order_acquire)) return free;
  }
}

struct Slot {
  const unsigned number = take();
  ~Slot() {
    t_thread_slot = kThreadSlots;  // what still runs in this thread shares
    if (number != kThreadSlots) g_taken.fetch_and(~(1u << number), std::memory_order_release);
  }
};

}  // namespace

constinit thread_local unsigned t_thread_slot = kNoSlotYet;

void take_thread_slot() noexcept {
  thread_local const Slot slot;
  t_thread_slot = slot.number;
}

}  // namespace hawser::detail
