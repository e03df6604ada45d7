// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "framework/base/cpu.hpp"

namespace hawser {

/// Describes one counter; plain C so that it crosses the plug-in boundary.
struct CounterInfo {
  const char* name;  // "bytes_sent"
  const char* unit;  // "bytes"
  const char* help;  // one line
};

/// A block of counters named by an enum whose last entry is kCount. Always on. `add` is for a single writer
/// (no locked instruction); `add_shared` for several.
template <class E>
class alignas(kCacheLine) Counters {
 public:
  /// How many counters.
  static constexpr std::size_t kSize = static_cast<std::size_t>(E::kCount);

  /// By the one writer.
  void add(E counter, std::uint64_t n = 1) noexcept {
    auto& value = values_[static_cast<std::size_t>(counter)];
    value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  /// By one of several writers.
  void add_shared(E counter, std::uint64_t n = 1) noexcept {
    values_[static_cast<std::size_t>(counter)].fetch_add(n, std::memory_order_relaxed);
  }
  /// Replaces the value: by the one writer.
  void set(E counter, std::uint64_t n) noexcept {
    values_[static_cast<std::size_t>(counter)].store(n, std::memory_order_relaxed);
  }
  /// Any thread.
  std::uint64_t get(E counter) const noexcept {
    return values_[static_cast<std::size_t>(counter)].load(std::memory_order_relaxed);
  }
  /// kSize values in the order of the enum.
  const std::atomic<std::uint64_t>* data() const noexcept { return values_; }

 private:
  std::atomic<std::uint64_t> values_[kSize]{};
};

}  // namespace hawser
