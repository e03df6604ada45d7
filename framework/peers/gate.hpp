// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/base/errc.hpp"
#include "framework/base/hooks.hpp"
#include "framework/base/list.hpp"
#include "framework/base/spin_mutex.hpp"

namespace hawser::peers {

/// The third rule: test and enqueue in one hold of one lock, the lock that the drain takes. Items (with a
/// `T* next`) wait here in order until the way is open; the state flips to open only when the queue is seen
/// empty; breaking the gate hands every waiting item back. No item is ever stranded, none overtakes another.
///
/// Any thread. Source of the rule: Lustre LU-12739 and its fixes (see docs/decisions/).
template <class T, LockRank R>
class Gate {
 public:
  enum class Entry : std::uint8_t { kPass, kParked, kBroken };

  /// kPass: nobody is before you, go on yourself. kParked: the item is the gate's until a drain or a break takes
  /// it. kBroken: nothing happened.
  Entry enter(T& item) noexcept {
    if (open_fast()) return Entry::kPass;
    HAWSER_HOOK("gate.enter");
    HotLock<R> lock(mutex_);
    if (state_ == State::kBroken) return Entry::kBroken;
    if (state_ == State::kOpen) return Entry::kPass;
    queue_.push_back(item);
    return Entry::kParked;
  }

  /// Puts an item that passed but was refused below at the front of the queue, and shuts the gate. False: broken.
  bool turn_back(T& item) noexcept {
    HotLock<R> lock(mutex_);
    if (state_ == State::kBroken) return false;
    set(State::kShut);
    queue_.push_front(item);
    return true;
  }

  /// Hands the waiting items, oldest first and with no lock held, to `pass(T&) -> bool`; true: it is gone; false:
  /// stop, the way is still shut. Opens the gate when the queue is seen empty. One drainer at a time: a second
  /// caller returns at once. Gives the number of items that went.
  template <class Pass>
  std::size_t drain(Pass&& pass) {
    std::size_t gone = 0;
    Fifo<T> batch;
    {
      HotLock<R> lock(mutex_);
      if (draining_ || state_ != State::kShut) return 0;
      draining_ = true;
    }
    for (;;) {
      {
        HotLock<R> lock(mutex_);
        queue_.splice_front(batch);  // what the last round could not pass goes back before newcomers
        if (state_ != State::kShut || stuck_) break;
        if (queue_.empty()) {
          set(State::kOpen);
          break;
        }
        batch = static_cast<Fifo<T>&&>(queue_);
      }
      while (T* item = batch.front()) {
        batch.pop_front();
        if (pass(*item)) {
          ++gone;
        } else {
          batch.push_front(*item);
          stuck_ = true;
          break;
        }
      }
      HAWSER_HOOK("gate.drained");
    }
    Fifo<T> orphans;
    {
      HotLock<R> lock(mutex_);
      stuck_ = false;
      draining_ = false;
      if (state_ == State::kBroken) orphans = static_cast<Fifo<T>&&>(queue_);
    }
    while (T* item = orphans.pop_front()) broken_item_(broken_context_, *item, broken_status_);
    return gone;
  }

  /// Nothing passes any more; every waiting item goes to `fail(context, item, status)`, with no lock held, here or
  /// in the drain that is under way.
  void shatter(Errc status, void (*fail)(void* context, T& item, Errc status), void* context) {
    Fifo<T> orphans;
    {
      HotLock<R> lock(mutex_);
      set(State::kBroken);
      broken_item_ = fail;
      broken_context_ = context;
      broken_status_ = status;
      if (!draining_) orphans = static_cast<Fifo<T>&&>(queue_);
    }
    while (T* item = orphans.pop_front()) fail(context, *item, status);
  }

  /// Shuts an open or broken gate, for a new connection.
  void shut() noexcept {
    HotLock<R> lock(mutex_);
    set(State::kShut);
  }

  std::size_t waiting() noexcept {
    HotLock<R> lock(mutex_);
    return queue_.size();
  }
  bool is_open() const noexcept { return open_fast(); }

 private:
  enum class State : std::uint8_t { kShut, kOpen, kBroken };

  // An open gate has an empty queue, so passing without the lock overtakes nobody.
  bool open_fast() const noexcept { return fast_.load(std::memory_order_acquire) == State::kOpen; }
  void set(State state) noexcept HAWSER_REQUIRES(mutex_) {
    state_ = state;
    fast_.store(state, std::memory_order_release);
  }

  HotMutex<R> mutex_;
  std::atomic<State> fast_{State::kShut};
  State state_ HAWSER_GUARDED_BY(mutex_) = State::kShut;
  bool draining_ HAWSER_GUARDED_BY(mutex_) = false;
  bool stuck_ = false;  // the drainer's own
  Fifo<T> queue_ HAWSER_GUARDED_BY(mutex_);
  void (*broken_item_)(void*, T&, Errc) = nullptr;
  void* broken_context_ = nullptr;
  Errc broken_status_ = Errc::kOk;
};

}  // namespace hawser::peers
