// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "framework/base/cpu.hpp"

namespace hawser {

/// memcpy for lengths that are mostly small and not known when compiling: up to 64 bytes without a call, as
/// two halves that overlap.
HAWSER_INLINE void copy_bytes(void* to, const void* from, std::size_t size) noexcept {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  const auto halves = [&](auto part) {
    decltype(part) first, last;
    std::memcpy(&first, in, sizeof part);
    std::memcpy(&last, in + size - sizeof part, sizeof part);
    std::memcpy(out, &first, sizeof part);
    std::memcpy(out + size - sizeof part, &last, sizeof part);
  };
  struct Sixteen {
    std::uint64_t words[2];
  };
  struct ThirtyTwo {
    Sixteen words[2];
  };
  if (size > 64) {
    if (size > PTRDIFF_MAX) __builtin_unreachable();  // else g++ 12 warns of sizes that no object has
    std::memcpy(to, from, size);
  } else if (size > 32) {
    halves(ThirtyTwo{});
  } else if (size >= 16) {
    halves(Sixteen{});
  } else if (size >= 8) {
    halves(std::uint64_t{});
  } else if (size >= 4) {
    halves(std::uint32_t{});
  } else if (size >= 2) {
    halves(std::uint16_t{});
  } else if (size == 1) {
    *out = *in;
  }
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
