// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hawser::shm {

#if defined(__x86_64__)
inline constexpr bool kHasTicks = true;
/// Now, in ticks of a third to a half of a nanosecond; after all reads before, and before all that follow.
inline std::uint64_t ticks() noexcept {
  __builtin_ia32_lfence();
  const std::uint64_t now = __builtin_ia32_rdtsc();
  __builtin_ia32_lfence();
  return now;
}
#else
inline constexpr bool kHasTicks = false;
inline std::uint64_t ticks() noexcept {
  return 0;
}
#endif

/// Whether the peer's core is near, so that both share a cache, or far: which way of copying is the better
/// one hangs on it. Told by what the read of a line takes that the peer has just written. Cores move, by the
/// scheduler's choice or the host's, so it follows; but not each single reading, since some were disturbed.
/// Without a cheap clock nothing is measured, and a peer is far. One thread at a time.
class Distance {
 public:
  static constexpr std::uint64_t kMostNear = 180;  // ticks that a line takes
  static constexpr int kSure = 4;                  // readings more of one kind than of the other

  bool near() const noexcept { return near_; }
  /// A line that the peer had written since was read in `ticks`.
  void saw(std::uint64_t ticks) noexcept {
    const bool near = ticks <= kMostNear;
    if (near && balance_ < kSure) ++balance_;
    if (!near && balance_ > -kSure) --balance_;
    if (balance_ == kSure) near_ = true;
    if (balance_ == -kSure) near_ = false;
  }

 private:
  std::int8_t balance_ = 0;  // of near and far readings, up to kSure either way
  bool near_ = false;
};

}  // namespace hawser::shm
