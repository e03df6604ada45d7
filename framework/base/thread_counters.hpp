// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/base/counters.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/base/thread_slot.hpp"

namespace hawser {

/// Counters of the hot path that any thread adds to: each in a part of its own, without a locked instruction,
/// which would wait until everything written before is visible to other cores. They are summed up when they
/// are read.
template <class E>
class ThreadCounters {
 public:
  /// Any thread.
  void add(E counter, std::uint64_t n = 1) noexcept {
    if (HAWSER_LIKELY(!g_many_threads)) return own_.add(counter, n);
    const unsigned slot = thread_slot();
    slot < kThreadSlots ? parts_[slot].add(counter, n) : parts_[slot].add_shared(counter, n);
  }
  /// Two at once.
  void add(E first, std::uint64_t n, E second, std::uint64_t m) noexcept {
    if (HAWSER_UNLIKELY(g_many_threads)) return add_to_part(first, n, second, m);
    own_.add(first, n);
    own_.add(second, m);
  }
  /// Of counters that one thread at a time writes, and only so.
  void add_own(E counter, std::uint64_t n = 1) noexcept { own_.add(counter, n); }

  /// The sum as it is now. Writes nothing, so it may lie in memory that can only be read.
  std::uint64_t get(E counter) const noexcept {
    std::uint64_t sum = own_.get(counter);
    for (const Counters<E>& part : parts_) sum += part.get(counter);
    return sum;
  }
  /// The sums as they are now; valid for as long as this is.
  const std::atomic<std::uint64_t>* data() const noexcept {
    for (std::size_t i = 0; i < Counters<E>::kSize; ++i) {
      const E counter = static_cast<E>(i);
      sums_.set(counter, get(counter));
    }
    return sums_.data();
  }

 private:
  // Out of line: the code around the other way stays small.
  [[gnu::noinline]] void add_to_part(E first, std::uint64_t n, E second, std::uint64_t m) noexcept {
    add(first, n);
    add(second, m);
  }

  Counters<E> own_;
  Counters<E> parts_[kThreadSlots + 1];
  mutable Counters<E> sums_;
};

}  // namespace hawser
