// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/base/cpu.hpp"
#include "framework/base/thread_annotations.hpp"

namespace hawser {

/// So many threads at a time have a number of their own.
inline constexpr unsigned kThreadSlots = 15;

namespace detail {
inline constexpr unsigned kNoSlotYet = ~0u;
[[gnu::tls_model("initial-exec")]] extern HAWSER_EXPORT constinit thread_local unsigned t_thread_slot;
HAWSER_EXPORT void take_thread_slot() noexcept;
}  // namespace detail

/// The number of this thread, which no other has while it lives: below kThreadSlots. Or kThreadSlots, which
/// all have for whom none was left. What it wrote under its number is visible to who has the number next.
inline unsigned thread_slot() noexcept {
  if (HAWSER_UNLIKELY(detail::t_thread_slot == detail::kNoSlotYet)) detail::take_thread_slot();
  return detail::t_thread_slot;
}

}  // namespace hawser
