// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "framework/base/lock_rank.hpp"
#include "framework/base/thread_annotations.hpp"

namespace hawser {

#if !defined(NDEBUG)
inline constexpr bool kCheckLocks = true;
#else
inline constexpr bool kCheckLocks = false;
#endif

namespace lock_check {
/// Debug: notes that this thread takes or leaves a lock; an order error aborts with both ranks.
void taking(LockRank rank, bool tried) noexcept;
void leaving(LockRank rank) noexcept;
int held() noexcept;
}  // namespace lock_check

/// In debug builds, aborts when this thread holds any ranked lock. Stands before every callback and every
/// call that may block.
inline void assert_no_locks_held() noexcept {
  if constexpr (kCheckLocks) assert(lock_check::held() == 0);
}

/// A mutex with a place in the order of locks.
template <LockRank R>
class HAWSER_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  /// Waits for it.
  void lock() HAWSER_ACQUIRE() {
    if constexpr (kCheckLocks) lock_check::taking(R, false);
    mutex_.lock();
  }
  /// Lets it go.
  void unlock() HAWSER_RELEASE() {
    mutex_.unlock();
    if constexpr (kCheckLocks) lock_check::leaving(R);
  }
  /// Without waiting. False: somebody has it.
  bool try_lock() HAWSER_TRY_ACQUIRE(true) {
    if (!mutex_.try_lock()) return false;
    if constexpr (kCheckLocks) lock_check::taking(R, true);
    return true;
  }

 private:
  std::mutex mutex_;
};

/// A scoped hold of a Mutex. `unlock` and `lock` allow a gap; waiting goes through Condition.
template <LockRank R>
class HAWSER_SCOPED_CAPABILITY Lock {
 public:
  /// Takes it.
  explicit Lock(Mutex<R>& mutex) HAWSER_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() HAWSER_RELEASE() {
    if (held_) mutex_.unlock();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  /// Before the end of the scope.
  void unlock() HAWSER_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }
  /// Takes it again.
  void lock() HAWSER_ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }

 private:
  Mutex<R>& mutex_;
  bool held_ = true;
};

/// Parks threads that hold a ranked mutex. Always with a deadline: every wait has one.
class Condition {
 public:
  /// Lets the lock go while it waits. May return early.
  template <LockRank R>
  std::cv_status wait_until(Lock<R>& lock,
                            std::chrono::steady_clock::time_point deadline) HAWSER_NO_ANALYSIS {
    return cv_.wait_until(lock, deadline);
  }
  /// Wakes one waiter.
  void notify_one() noexcept { cv_.notify_one(); }
  /// Wakes all.
  void notify_all() noexcept { cv_.notify_all(); }

 private:
  std::condition_variable_any cv_;
};

}  // namespace hawser
