// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "framework/base/cpu.hpp"

namespace hawser {

inline constexpr std::size_t kFewBytes = 64;

/// Up to kFewBytes without a call, as halves that overlap.
HAWSER_INLINE void copy_few_bytes(void* to, const void* from, std::size_t size) noexcept {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  const auto halves = [&](auto part, std::size_t at) {
    decltype(part) first, last;
    std::memcpy(&first, in + at, sizeof part);
    std::memcpy(&last, in + size - at - sizeof part, sizeof part);
    std::memcpy(out + at, &first, sizeof part);
    std::memcpy(out + size - at - sizeof part, &last, sizeof part);
  };
  using Sixteen [[gnu::vector_size(16)]] = std::uint64_t;
  if (size < 16) {
    if (size >= 8) {
      halves(std::uint64_t{}, 0);
    } else if (size >= 4) {
      halves(std::uint32_t{}, 0);
    } else if (size != 0) {
      const unsigned char middle = in[size / 2];
      halves(std::uint8_t{}, 0);
      out[size / 2] = middle;
    }
  } else {
    halves(Sixteen{}, 0);
    if (size > 32) halves(Sixteen{}, 16);
  }
}

/// memcpy for lengths that are mostly small and not known when compiling.
HAWSER_INLINE void copy_bytes(void* to, const void* from, std::size_t size) noexcept {
  if (size <= kFewBytes) return copy_few_bytes(to, from, size);
  if (size > PTRDIFF_MAX) __builtin_unreachable();  // else g++ 12 warns of sizes that no object has
  std::memcpy(to, from, size);
}

/// Two words, in two stores.
HAWSER_INLINE void store_two_words(void* to, std::uint64_t first, std::uint64_t second) noexcept {
  asm("" : "+r"(first), "+r"(second));  // else they are put together into one vector, by way of memory
  std::memcpy(to, &first, sizeof first);
  std::memcpy(static_cast<char*>(to) + sizeof first, &second, sizeof second);
}

/// Sixteen bytes in two words. Who wrote them in words just before is not waited for, as a load that spans
/// two stores would: that waits until both are in the cache.
HAWSER_INLINE void copy_two_words(void* to, const void* from) noexcept {
  std::uint64_t words[2];
  std::memcpy(words, from, sizeof words);
  store_two_words(to, words[0], words[1]);
}

}  // namespace hawser
