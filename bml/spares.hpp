// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "framework/base/list.hpp"
#include "framework/base/no_destructor.hpp"
#include "framework/base/spin_mutex.hpp"

namespace hawser::bml {

/// Objects that are free, with the memory that they hold, for the next who needs one. Any thread. One of each
/// type, never destroyed: completions may come until the process ends.
template <class T>
class Spares {
 public:
  static Spares& instance() noexcept {
    static NoDestructor<Spares> spares;
    return *spares;
  }
  /// Null: out of memory.
  T* take() noexcept {
    {
      HotLock lock(mutex_);
      if (T* spare = free_.pop_front()) return spare;
    }
    return new (std::nothrow) T;
  }
  void give(T& object) noexcept {
    HotLock lock(mutex_);
    free_.push_front(object);
  }

 private:
  HotMutex<LockRank::kPool> mutex_;
  Fifo<T> free_ HAWSER_GUARDED_BY(mutex_);
};

}  // namespace hawser::bml
