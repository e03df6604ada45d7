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
  void add(E counter, std::uint64_t n = 1) noexcept {
    if (HAWSER_LIKELY(!g_many_threads)) return own_.add(counter, n);
    const unsigned slot = thread_slot();
    slot < kThreadSlots ? parts_[slot].add(counter, n) : parts_[slot].add_shared(counter, n);
  }
  /// Of counters that one thread at a time writes, and only so.
  void add_own(E counter, std::uint64_t n = 1) noexcept { own_.add(counter, n); }

  /// The sums as they are now; valid for as long as this is.
  const std::atomic<std::uint64_t>* data() const noexcept {
    for (std::size_t i = 0; i < Counters<E>::kSize; ++i) {
      std::uint64_t sum = own_.get(static_cast<E>(i));
      for (const Counters<E>& part : parts_) sum += part.get(static_cast<E>(i));
      sums_.set(static_cast<E>(i), sum);
    }
    return sums_.data();
  }

 private:
  Counters<E> own_;
  Counters<E> parts_[kThreadSlots + 1];
  mutable Counters<E> sums_;
};

}  // namespace hawser
