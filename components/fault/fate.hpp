// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hawser::fault {

enum class Rule : std::uint64_t { kDrop, kDelay, kDuplicate, kReorder, kRefuse, kReset, kHowLong };

/// What happens to event number `n` of one peer and rail: a function of the seed, the two ranks, the rail and
/// the number, and of nothing else. So it is the same in every run, whatever threads and networks do.
class Fate {
 public:
  Fate(std::uint64_t seed, std::uint32_t own, std::uint32_t peer, std::uint32_t rail) noexcept
      : key_(mix(mix(mix(seed) ^ own) ^ (std::uint64_t{peer} << 32 | rail))) {}

  /// True for one event in `one_in`, on the average; for none if it is 0.
  bool hits(Rule rule, std::uint64_t n, std::int64_t one_in) const noexcept {
    return one_in > 0 && draw(rule, n) % static_cast<std::uint64_t>(one_in) == 0;
  }
  std::uint64_t draw(Rule rule, std::uint64_t n) const noexcept {
    return mix(key_ ^ mix(n * 8 + static_cast<std::uint64_t>(rule)));
  }

 private:
  /// The finalizer of splitmix64: every bit of the input moves every bit of the output.
  static constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  const std::uint64_t key_;
};

}  // namespace hawser::fault
