// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "framework/base/cpu.hpp"
#include "framework/base/mutex.hpp"

namespace hawser {

/// Set before a second thread of the program may call in, and never changed after; while it is false, hot
/// locks touch no shared memory. A plain bool: readers come after the one write in program order or by the
/// start of their thread.
extern HAWSER_EXPORT bool g_many_threads;

/// A lock for the hot path: a few instructions inside, never held over a call that may block.
/// Same contract and the same order of ranks as Mutex. `Always`: a thread of our own may come, so that it is
/// real though the program has but one.
template <LockRank R, bool Always = false>
class HAWSER_CAPABILITY("mutex") HotMutex {
 public:
  HotMutex() = default;
  HotMutex(const HotMutex&) = delete;
  HotMutex& operator=(const HotMutex&) = delete;

  /// Waits for it.
  void lock() noexcept HAWSER_ACQUIRE() {
    if constexpr (kCheckLocks) lock_check::taking(R, false);
    if (!Always && !g_many_threads) return;
    while (word_.exchange(1, std::memory_order_acquire) != 0) wait();
  }
  /// Lets it go.
  void unlock() noexcept HAWSER_RELEASE() {
    if (Always || g_many_threads) word_.store(0, std::memory_order_release);
    if constexpr (kCheckLocks) lock_check::leaving(R);
  }
  /// Without waiting. False: somebody has it.
  bool try_lock() noexcept HAWSER_TRY_ACQUIRE(true) {
    if ((Always || g_many_threads) && word_.exchange(1, std::memory_order_acquire) != 0) return false;
    if constexpr (kCheckLocks) lock_check::taking(R, true);
    return true;
  }

 private:
  void wait() noexcept;  // spin a little, then give the core away: the holder may have lost it

  std::atomic<int> word_{0};
};

namespace lock_check {
void hot_wait(const std::atomic<int>& word) noexcept;
}

template <LockRank R, bool Always>
void HotMutex<R, Always>::wait() noexcept {
  lock_check::hot_wait(word_);
}

/// A scoped hold of a HotMutex. `unlock` and `lock` allow a gap.
template <LockRank R, bool Always = false>
class HAWSER_SCOPED_CAPABILITY HotLock {
 public:
  /// Takes it.
  explicit HotLock(HotMutex<R, Always>& mutex) HAWSER_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~HotLock() HAWSER_RELEASE() {
    if (held_) mutex_.unlock();
  }
  HotLock(const HotLock&) = delete;
  HotLock& operator=(const HotLock&) = delete;
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
  HotMutex<R, Always>& mutex_;
  bool held_ = true;
};

}  // namespace hawser
