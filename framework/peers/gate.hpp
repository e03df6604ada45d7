// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "framework/base/errc.hpp"
#include "framework/base/hooks.hpp"
#include "framework/base/list.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/peers/gate_states.hpp"

namespace hawser::peers {

/// The third rule: test and enqueue in one hold of one lock, the lock that the drain takes. Items (with a
/// `T* next`) wait here in order until the way is open; the state flips to open only when the queue is seen
/// empty; breaking the gate hands every waiting item back. No item is ever stranded, none overtakes another.
///
/// What a user of it cannot get wrong: there is no way to queue but `enter` and `turn_back`, none to open but
/// `drain`, so it is never open with items behind it. What is left to him: whoever opens the way calls
/// `drain`, and whoever is told kParked, or turned an item back, sees to it that somebody will. A gate dies
/// empty: `shatter` it first.
///
/// Any thread. Functions that take items run with no lock held and must not throw.
/// Source of the rule: Lustre LU-12739 and its fixes (see docs/decisions/publish-once.md).
template <class T, LockRank R>
class Gate {
 public:
  /// What became of an item that came.
  enum class Entry : std::uint8_t { kPass, kParked, kBroken };
  /// Gets an item back, and why; no lock held.
  using FailFunction = void (*)(void* context, T& item, Errc status);

  Gate() = default;
  ~Gate() { assert(queue_.empty() && "a gate was destroyed with items that nobody will hear of"); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// kPass: nobody is before you, go on yourself. kParked: the item is the gate's until a drain or a break
  /// takes it. kBroken: nothing happened.
  [[nodiscard]] Entry enter(T& item) noexcept {
    if (open_fast()) return Entry::kPass;
    HAWSER_HOOK("gate.enter");
    HotLock<R> lock(mutex_);
    if (state_ == State::kBroken) return Entry::kBroken;
    if (state_ == State::kOpen) return Entry::kPass;
    queue_.push_back(item);
    return Entry::kParked;
  }

  /// Puts an item that passed but was refused below at the front of the queue, and shuts the gate. False:
  /// broken.
  [[nodiscard]] bool turn_back(T& item) noexcept {
    HotLock<R> lock(mutex_);
    if (state_ == State::kBroken) return false;
    step(GateEvent::kTurnedBack);
    queue_.push_front(item);
    return true;
  }

  /// Called whenever the way may have opened. Hands the waiting items, oldest first and with no lock held, to
  /// `pass(T&) -> bool`; true: it is gone; false: stop, the way is still shut. Opens the gate when the queue
  /// is seen empty. One drainer at a time: a second caller returns at once, and the first looks once more
  /// before it gives up. Gives the number of items that went.
  template <class Pass>
  std::size_t drain(Pass&& pass) noexcept {
    assert_no_locks_held();
    Round round;
    if (!begin_drain(round)) return 0;
    std::size_t gone = 0;
    while (next_batch(round)) {
      while (T* item = round.batch.pop_front()) {
        if (!pass(*item)) {
          round.batch.push_front(*item);
          round.stuck = true;
          break;
        }
        ++gone;
      }
      HAWSER_HOOK("gate.drained");
    }
    return gone;
  }

  /// Nothing passes any more; every waiting item goes to `fail(context, item, status)`, with no lock held:
  /// here, or in the drain that is under way and holds it.
  void shatter(Errc status, FailFunction fail, void* context) noexcept {
    assert_no_locks_held();
    Fifo<T> orphans;
    Broken broken{fail, context, status};
    {
      HotLock<R> lock(mutex_);
      step(GateEvent::kShattered);
      broken_ = broken;
      ++breaks_;
      again_ = false;
      orphans = static_cast<Fifo<T>&&>(queue_);
    }
    broken.fail_all(orphans);
  }

  /// Every waiting item goes to `fail(context, item, status)`, oldest first and with no lock held, and the
  /// gate stays shut: who comes later waits again. What a drain under way has in hand is not among them.
  void hand_back(Errc status, FailFunction fail, void* context) noexcept {
    assert_no_locks_held();
    Fifo<T> waiting;
    {
      HotLock<R> lock(mutex_);
      waiting = static_cast<Fifo<T>&&>(queue_);
    }
    Broken{fail, context, status}.fail_all(waiting);
  }

  /// Shuts an open or broken gate, for a new connection.
  void shut() noexcept {
    HotLock<R> lock(mutex_);
    step(GateEvent::kShut);
  }

  /// Items that wait.
  std::size_t waiting() noexcept {
    HotLock<R> lock(mutex_);
    return queue_.size();
  }
  /// Whether an item would pass.
  bool is_open() const noexcept { return open_fast(); }

 private:
  using State = GateState;

  struct Broken {
    FailFunction fail = nullptr;
    void* context = nullptr;
    Errc status = Errc::kOk;

    void fail_all(Fifo<T>& items) const {
      while (T* item = items.pop_front()) fail(context, *item, status);
    }
  };
  // A drainer's own.
  struct Round {
    Fifo<T> batch;
    std::uint32_t breaks = 0;
    bool stuck = false;
  };

  bool begin_drain(Round& round) noexcept {
    HotLock<R> lock(mutex_);
    if (draining_) {
      again_ = true;  // the way may have opened after that drainer was refused
      return false;
    }
    if (state_ != State::kShut) return false;
    draining_ = true;
    again_ = false;
    round.breaks = breaks_;
    return true;
  }

  // Takes back what the last batch left, and gives the next one. False: this drain is over; that is decided,
  // and seen by others, in the same hold of the lock.
  bool next_batch(Round& round) {
    Fifo<T> orphans;
    Broken broken;
    bool more;
    {
      HotLock<R> lock(mutex_);
      if (round.breaks != breaks_) {
        // Broken meanwhile, perhaps shut again for a new connection: what is in hand belongs to the old one.
        orphans = static_cast<Fifo<T>&&>(round.batch);
        broken = broken_;
        round.breaks = breaks_;
        round.stuck = true;
      }
      queue_.splice_front(round.batch);  // before newcomers
      more = go_on(round);
    }
    broken.fail_all(orphans);
    return more;
  }

  bool go_on(Round& round) noexcept HAWSER_REQUIRES(mutex_) {
    const bool refused = round.stuck && !again_;
    if (state_ == State::kShut && !refused && queue_.empty()) step(GateEvent::kEmpty);
    if (state_ != State::kShut || refused) {
      draining_ = false;
      return false;
    }
    again_ = false;
    round.stuck = false;
    round.batch = static_cast<Fifo<T>&&>(queue_);
    return true;
  }

  // An open gate has an empty queue, so passing without the lock overtakes nobody.
  bool open_fast() const noexcept { return fast_.load(std::memory_order_acquire) == State::kOpen; }
  // The only writer.
  void step(GateEvent event) noexcept HAWSER_REQUIRES(mutex_) {
    const std::optional<State> next = machine_next(kGateEdges, state_, event);
    assert(next);
    if (!next) return;
    state_ = *next;
    fast_.store(*next, std::memory_order_release);
  }

  HotMutex<R> mutex_;
  std::atomic<State> fast_{State::kShut};
  State state_ HAWSER_GUARDED_BY(mutex_) = State::kShut;
  bool draining_ HAWSER_GUARDED_BY(mutex_) = false;
  bool again_ HAWSER_GUARDED_BY(mutex_) = false;  // somebody asked for a drain while one was under way
  std::uint32_t breaks_ HAWSER_GUARDED_BY(mutex_) = 0;
  Fifo<T> queue_ HAWSER_GUARDED_BY(mutex_);
  Broken broken_ HAWSER_GUARDED_BY(mutex_);
};

}  // namespace hawser::peers
