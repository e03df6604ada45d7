// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "framework/base/spin_mutex.hpp"

namespace hawser::progress {

/// Threads asleep without the role, or about to be: each on a word of its own, so that a completion wakes
/// only who waits for it.
///
/// A thread adds itself, **fence**, looks a last time, and sleeps; who has something for it makes that
/// visible, **fence**, and looks at `any`. Whoever wakes a thread takes it off the list, so that the next
/// wake-up is another's.
class Sleepers {
 public:
  /// On the stack of the thread that waits.
  class Sleeper {
   public:
    /// Until it is woken; it may return early.
    void sleep(std::uint64_t longest_ns) noexcept;

   private:
    friend class Sleepers;
    const void* awaited_ = nullptr;
    std::atomic<std::uint32_t> woken_{0};  // a futex
    Sleeper* previous_ = nullptr;
    Sleeper* next_ = nullptr;
    bool listed_ = false;
  };

  bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }
  /// `awaited`: whose completion ends the wait; null: any may. Once more with another `awaited`, to change
  /// it.
  void add(Sleeper& sleeper, const void* awaited) noexcept;
  void remove(Sleeper& sleeper) noexcept;
  /// Those that wait for `what`, or for anything. `what` null: all.
  void wake(const void* what) noexcept;
  void wake_one() noexcept;

 private:
  template <class Test>
  bool wake_first(Test&& test) noexcept;
  void unlink(Sleeper& sleeper) noexcept HAWSER_REQUIRES(mutex_);

  HotMutex<LockRank::kLeaf> mutex_;
  Sleeper* first_ HAWSER_GUARDED_BY(mutex_) = nullptr;
  Sleeper* last_ HAWSER_GUARDED_BY(mutex_) = nullptr;
  std::atomic<std::uint32_t> count_{0};
};

}  // namespace hawser::progress
