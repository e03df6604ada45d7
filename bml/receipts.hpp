// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

#include "bml/guard_header.hpp"
#include "framework/btl/module.hpp"

namespace hawser::bml {

/// Which numbered messages of one peer have arrived, and which are just being read to their place. Pure;
/// progress role, but for `state`.
class Receipts {
 public:
  enum class Look : std::uint8_t { kNew, kKnown, kOutside };

  /// A message that a rail is just writing to where it belongs.
  struct Placing {
    std::uint32_t number;
    std::uint8_t attempt;
    btl::Module* module;
    btl::Endpoint* endpoint;
  };

  Look look(std::uint32_t number) const noexcept {
    const auto ahead = static_cast<std::int32_t>(number - next_);
    if (ahead >= static_cast<std::int32_t>(kMaxWindow)) return Look::kOutside;
    return ahead < 0 || has(number) ? Look::kKnown : Look::kNew;
  }

  /// A new number has arrived.
  void take(std::uint32_t number) noexcept {
    word(number) |= bit(number);
    for (; has(next_); ++next_) word(next_) &= ~bit(next_);
    state_.store(next_ | static_cast<std::uint64_t>(above()) << 32, std::memory_order_release);
  }

  /// GuardHeader::received in the low half, GuardHeader::above in the high one. Any thread.
  std::uint64_t state() const noexcept { return state_.load(std::memory_order_acquire); }

  /// Room for one more. False: out of memory.
  bool reserve_placing() noexcept {
    try {
      if (placing_.size() == placing_.capacity()) placing_.reserve(2 * placing_.size() + 4);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  std::vector<Placing>& placing() noexcept { return placing_; }
  Placing* placing(std::uint32_t number) noexcept {
    for (Placing& each : placing_) {
      if (each.number == number) return &each;
    }
    return nullptr;
  }
  void placed(std::uint32_t number) noexcept {
    std::erase_if(placing_, [&](const Placing& each) { return each.number == number; });
  }

 private:
  static constexpr std::uint32_t kWords = kMaxWindow / 64;
  std::uint64_t& word(std::uint32_t number) noexcept { return ring_[number / 64 % kWords]; }
  static std::uint64_t bit(std::uint32_t number) noexcept { return 1ull << (number % 64); }
  bool has(std::uint32_t number) const noexcept { return ring_[number / 64 % kWords] >> (number % 64) & 1; }
  std::uint32_t above() const noexcept {
    const std::uint32_t first = next_ + 1;
    const std::uint64_t low = ring_[first / 64 % kWords] >> (first % 64);
    const std::uint64_t high = first % 64 == 0 ? 0 : ring_[(first / 64 + 1) % kWords] << (64 - first % 64);
    return static_cast<std::uint32_t>(low | high);
  }

  std::uint32_t next_ = kFirstNumber;         // all before it have arrived
  std::array<std::uint64_t, kWords> ring_{};  // of the kMaxWindow numbers from `next_`: which have
  std::atomic<std::uint64_t> state_{kFirstNumber};
  std::vector<Placing> placing_;
};

}  // namespace hawser::bml
