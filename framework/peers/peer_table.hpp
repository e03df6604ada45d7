// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"
#include "framework/base/mutex.hpp"
#include "framework/base/result.hpp"

namespace hawser::peers {

/// The first two rules as a class. *Publication is the commit point*: a peer is built in private and
/// published once, whole; whoever finds it sees all of it. *One creator per peer*: the first caller builds,
/// the others are parked and get the same result; a failure is told to all who waited, and the next caller
/// may try again.
///
/// What a user of it cannot get wrong: the peer under construction is out of everybody's reach; a creation
/// ends for all who wait however it ends, by an exception too; letting go of a peer, or replacing it, while
/// it is being made is not overtaken by that creation.
///
/// Owner: whoever owns the table; peers live until `take`. Any thread, no lock held. `make` runs with no lock
/// held and may block; it must not ask for the same rank, which is an error.
/// Background: Open MPI issues 3035 and 12833 (see docs/decisions/publish-once.md).
template <class Peer>
class PeerTable {
 public:
  /// What a maker answers.
  using Made = Result<std::unique_ptr<Peer>>;

  /// For ranks 0 to size - 1.
  explicit PeerTable(std::uint32_t size) : size_(size), slots_(std::make_unique<Slot[]>(size)) {}
  /// Nobody may be inside any more: see close().
  ~PeerTable() {
    for (std::uint32_t i = 0; i < size_; ++i) delete slots_[i].ready.load(std::memory_order_relaxed);
  }
  PeerTable(const PeerTable&) = delete;
  PeerTable& operator=(const PeerTable&) = delete;

  /// Ranks.
  std::uint32_t size() const noexcept { return size_; }

  /// The peer if it is published. No lock.
  Peer* find(std::uint32_t rank) const noexcept {
    return rank < size_ ? slots_[rank].ready.load(std::memory_order_acquire) : nullptr;
  }

  /// The peer, built by `make() -> Made` if it is not there. `make` is called again if a replacement came
  /// while it ran. Errors: those of `make`, the same for all who waited; kOutOfMemory; kTimedOut: another
  /// thread's creation took longer than `deadline`; kShutdown: the peer was let go, or the table closed,
  /// meanwhile.
  template <class Make>
  Result<Peer*> get_or_make(std::uint32_t rank, Deadline deadline, Make&& make) noexcept {
    if (Peer* peer = find(rank)) return peer;
    assert_no_locks_held();
    if (rank >= size_) return failure(Errc::kInvalid, "rank {} is not in the job of {} ranks", rank, size_);
    Result<Peer*> answer(nullptr);
    std::shared_ptr<Round> round;
    {
      Lock lock(mutex_);
      round = begin(rank, deadline, lock, answer);
    }
    if (round) {
      HAWSER_HOOK("peer.before_make");
      answer = create(rank, *round, make);
      leave();
    }
    return answer;
  }

  /// Unpublishes: nobody finds the peer any more. The caller destroys it once nobody can be inside, and
  /// without a lock. Null if it was not there. A creation under way ends unpublished, with kShutdown for all
  /// who wait for it; who asks after this gets a creation of his own, when that one has ended.
  std::unique_ptr<Peer> take(std::uint32_t rank) noexcept {
    if (rank >= size_) return nullptr;
    Lock lock(mutex_);
    if (slots_[rank].round) slots_[rank].round->let_go = true;
    return std::unique_ptr<Peer>(slots_[rank].ready.exchange(nullptr, std::memory_order_acq_rel));
  }

  /// What the peer was made of has changed: unpublishes it as `take` does; but a creation under way goes on,
  /// and makes the peer anew of what there is then.
  std::unique_ptr<Peer> forget(std::uint32_t rank) noexcept {
    if (rank >= size_) return nullptr;
    Lock lock(mutex_);
    if (slots_[rank].round) slots_[rank].round->outdated = true;
    return std::unique_ptr<Peer>(slots_[rank].ready.exchange(nullptr, std::memory_order_acq_rel));
  }

  /// Publishes `next` in place of the peer that is there: whoever finds the peer sees the one or the other,
  /// whole. Gives the old one, which the caller destroys as after `take`; or `next` itself, unpublished, if
  /// there was none to replace. A creation under way does not publish what it made of the older state: it
  /// makes the peer anew.
  std::unique_ptr<Peer> replace(std::uint32_t rank, std::unique_ptr<Peer> next) noexcept {
    if (rank >= size_ || !next) return next;
    Lock lock(mutex_);
    Slot& slot = slots_[rank];
    Peer* old = slot.ready.load(std::memory_order_relaxed);
    if (!old) {
      if (slot.round) slot.round->outdated = true;
      return next;
    }
    slot.ready.store(next.release(), std::memory_order_release);
    return std::unique_ptr<Peer>(old);
  }

  /// From now on nobody makes a peer: creations under way end unpublished, and they, all who wait and all who
  /// come get kShutdown. Returns when every caller has left get_or_make; kTimedOut: one is still inside, so
  /// the table and what `make` uses must live on. What was published can still be found, until it is taken.
  Result<void> close(Deadline deadline) noexcept {
    assert_no_locks_held();
    Lock lock(mutex_);
    closed_ = true;
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (slots_[i].round) slots_[i].round->let_go = true;
    }
    settled_.notify_all();
    HAWSER_HOOK("peer.closing");
    while (inside_ != 0) {
      if (settled_.wait_until(lock, deadline) == std::cv_status::timeout && inside_ != 0)
        return failure(Errc::kTimedOut, "{} threads still wait for a peer or set one up", inside_);
    }
    return {};
  }

  /// Every published peer. No lock.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (Peer* peer = slots_[i].ready.load(std::memory_order_acquire)) visit(*peer);
    }
  }

  /// How many times a peer was created and published: equals the number of peers in a run without restarts.
  std::uint64_t published() const noexcept { return published_.load(std::memory_order_relaxed); }

 private:
  // One creation and its one outcome; those who wait for it hold it.
  struct Round {
    std::thread::id creator = std::this_thread::get_id();
    bool ended = false;
    bool let_go = false;    // nobody wants it any more
    bool outdated = false;  // what it is made of has changed meanwhile
    Peer* peer = nullptr;
    Error failed{Errc::kOk, 0, {}};
  };
  struct Slot {
    std::atomic<Peer*> ready{nullptr};
    std::shared_ptr<Round> round;  // of the creation under way
  };
  using TableLock = Lock<LockRank::kPeerTable>;

  // An error that can be told when memory has run out: the short text needs none.
  template <class... Args>
  static Error failure(Errc code, fmt::format_string<Args...> text, Args&&... args) noexcept {
    try {
      return make_error(code, text, std::forward<Args>(args)...);
    } catch (...) {
      return Error{Errc::kOutOfMemory, 0, "out of memory"};
    }
  }
  static Error copy_of(const Error& error) noexcept {
    try {
      return error;
    } catch (...) {
      return Error{Errc::kOutOfMemory, 0, "out of memory"};
    }
  }

  // A round for the caller to create in; or none, and the answer: what is there, or what another one's round
  // came to.
  std::shared_ptr<Round> begin(std::uint32_t rank, Deadline deadline, TableLock& lock,
                               Result<Peer*>& answer) noexcept HAWSER_REQUIRES(mutex_) {
    Slot& slot = slots_[rank];
    ++inside_;
    for (bool answered = false; !answered;) {
      if (Peer* peer = slot.ready.load(std::memory_order_relaxed)) {
        answer = peer;
        break;
      }
      if (closed_) {
        answer = failure(Errc::kShutdown, "no way to rank {} is set up any more: we are closing", rank);
        break;
      }
      if (!slot.round) {
        try {
          return slot.round = std::make_shared<Round>();
        } catch (...) {
          answer = failure(Errc::kOutOfMemory, "no memory to set up the way to rank {}", rank);
          break;
        }
      }
      answered = park(rank, deadline, lock, answer);
    }
    leave_locked();
    return nullptr;
  }

  // Sleeps until the round under way ends. False: it was let go before the caller came, so its outcome is
  // not the caller's.
  bool park(std::uint32_t rank, Deadline deadline, TableLock& lock,
            Result<Peer*>& answer) noexcept HAWSER_NO_ANALYSIS {
    Slot& slot = slots_[rank];
    const std::shared_ptr<Round> round = slot.round;
    if (round->creator == std::this_thread::get_id()) {
      answer = failure(Errc::kInvalid, "setting up the way to rank {} asked for that way itself", rank);
      return true;
    }
    const bool joins = !round->let_go;
    HAWSER_HOOK("peer.parked");
    while (!round->ended && !closed_) {
      const bool late = settled_.wait_until(lock, deadline) == std::cv_status::timeout;
      HAWSER_HOOK("peer.looked");
      if (late && !round->ended) {
        answer =
            failure(Errc::kTimedOut, "waited too long for another thread to set up the way to rank {}", rank);
        return true;
      }
    }
    if (!round->ended || !joins) return false;  // closed; or the caller gets a round of its own
    Peer* peer = slot.ready.load(std::memory_order_relaxed);
    if (round->peer && peer) {
      answer = peer;
    } else if (round->peer) {
      answer = failure(Errc::kShutdown, "rank {} was let go", rank);
    } else {
      answer = copy_of(round->failed);
    }
    return true;
  }

  template <class Make>
  Result<Peer*> create(std::uint32_t rank, Round& round, Make& make) noexcept {
    for (;;) {
      Made made = build(rank, make);
      HAWSER_HOOK("peer.before_publish");
      if (settle(rank, round, made)) break;
    }
    if (round.peer) return round.peer;
    return copy_of(round.failed);
  }

  // Whatever `make` throws is an outcome: those who wait must learn it.
  template <class Make>
  static Made build(std::uint32_t rank, Make& make) noexcept {
    try {
      Made made = make();
      if (!made || *made) return made;
      return failure(Errc::kInvalid, "the way to rank {} was set up as nothing", rank);
    } catch (const std::bad_alloc&) {
      return failure(Errc::kOutOfMemory, "no memory for what belongs to rank {}", rank);
    } catch (const std::exception& error) {
      return failure(Errc::kInvalid, "setting up the way to rank {} failed: {}", rank, error.what());
    } catch (...) {
      return failure(Errc::kInvalid, "setting up the way to rank {} failed with an unknown exception", rank);
    }
  }

  // Publishes or not, and ends the round, in one hold of the lock. False: outdated, to be made anew. What is
  // not published is destroyed by the caller, with no lock held.
  bool settle(std::uint32_t rank, Round& round, Made& made) noexcept {
    Lock lock(mutex_);
    Slot& slot = slots_[rank];
    if (made && round.outdated && !round.let_go) {
      round.outdated = false;
      return false;
    }
    if (round.let_go) {
      round.failed = failure(Errc::kShutdown, "rank {} was let go while the way to it was set up", rank);
    } else if (!made) {
      round.failed = std::move(made.error());
    } else {
      round.peer = made->release();
      published_.fetch_add(1, std::memory_order_relaxed);
      slot.ready.store(round.peer, std::memory_order_release);  // the commit point
    }
    round.ended = true;
    slot.round.reset();
    settled_.notify_all();
    return true;
  }

  void leave() noexcept {
    Lock lock(mutex_);
    leave_locked();
  }
  // With the lock held, so that nothing of the table is touched after close() has seen the last one leave.
  void leave_locked() noexcept HAWSER_REQUIRES(mutex_) {
    --inside_;
    if (closed_ && inside_ == 0) settled_.notify_all();
  }

  const std::uint32_t size_;
  std::unique_ptr<Slot[]> slots_;
  Mutex<LockRank::kPeerTable> mutex_;
  Condition settled_;
  bool closed_ HAWSER_GUARDED_BY(mutex_) = false;
  std::uint32_t inside_ HAWSER_GUARDED_BY(mutex_) = 0;  // callers of get_or_make
  std::atomic<std::uint64_t> published_{0};
};

}  // namespace hawser::peers
