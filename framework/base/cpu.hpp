// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace hawser {

inline constexpr std::size_t kCacheLine = 64;

/// Tells the core that this is a spin loop.
inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

/// The next store there does not wait for the line, which others have read.
inline void prefetch_for_write(const void* line) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(line));  // the built-in fetches to read
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace hawser

#define HAWSER_LIKELY(x) __builtin_expect(static_cast<bool>(x), 1)
#define HAWSER_UNLIKELY(x) __builtin_expect(static_cast<bool>(x), 0)
#define HAWSER_INLINE inline __attribute__((always_inline))  // of the hot path, where calls cost
#define HAWSER_EXPORT __attribute__((visibility("default")))
