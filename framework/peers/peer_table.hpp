// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
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
/// Owner: whoever owns the table; peers live until `take`. Any thread. `Make` runs with no lock held and may
/// block; it must not ask for the same rank.
/// Background: Open MPI issues 3035 and 12833 (see docs/decisions/).
template <class Peer>
class PeerTable {
 public:
  explicit PeerTable(std::uint32_t size) : size_(size), slots_(std::make_unique<Slot[]>(size)) {}
  ~PeerTable() {
    for (std::uint32_t i = 0; i < size_; ++i) delete slots_[i].ready.load(std::memory_order_relaxed);
  }
  PeerTable(const PeerTable&) = delete;
  PeerTable& operator=(const PeerTable&) = delete;

  std::uint32_t size() const noexcept { return size_; }

  /// The peer if it is published. No lock.
  Peer* find(std::uint32_t rank) const noexcept {
    return rank < size_ ? slots_[rank].ready.load(std::memory_order_acquire) : nullptr;
  }

  /// The peer, built by `make() -> Result<std::unique_ptr<Peer>>` if it is not there.
  template <class Make>
  Result<Peer*> get_or_make(std::uint32_t rank, Deadline deadline, Make&& make) {
    if (Peer* peer = find(rank)) return peer;
    if (rank >= size_)
      return make_error(Errc::kInvalid, "rank {} is not in the job of {} ranks", rank, size_);
    Slot& slot = slots_[rank];
    {
      Lock lock(mutex_);
      if (Peer* peer = slot.ready.load(std::memory_order_relaxed)) return peer;
      if (slot.creating) return park(slot, lock, rank, deadline);
      slot.creating = true;
      slot.creator = std::this_thread::get_id();
    }
    HAWSER_HOOK("peer.before_make");
    Result<std::unique_ptr<Peer>> made = build(rank, make);
    HAWSER_HOOK("peer.before_publish");
    return settle(slot, std::move(made));
  }

  /// Unpublishes: nobody finds the peer any more. The caller destroys it once nobody can be inside, and
  /// without a lock. Null if it was not there.
  std::unique_ptr<Peer> take(std::uint32_t rank) noexcept {
    if (rank >= size_) return nullptr;
    Lock lock(mutex_);
    return std::unique_ptr<Peer>(slots_[rank].ready.exchange(nullptr, std::memory_order_acq_rel));
  }

  /// Publishes `next` in place of the peer that is there: whoever finds the peer sees the one or the other,
  /// whole. Gives the old one, which the caller destroys as after `take`; or `next` itself, unpublished, if
  /// there was none to replace.
  std::unique_ptr<Peer> replace(std::uint32_t rank, std::unique_ptr<Peer> next) noexcept {
    if (rank >= size_) return next;
    Lock lock(mutex_);
    Peer* old = slots_[rank].ready.load(std::memory_order_relaxed);
    if (!old) return next;
    slots_[rank].ready.store(next.release(), std::memory_order_release);
    return std::unique_ptr<Peer>(old);
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (Peer* peer = slots_[i].ready.load(std::memory_order_acquire)) visit(*peer);
    }
  }

  /// How many times a peer was published: equals the number of peers in a run without restarts.
  std::uint64_t published() const noexcept { return published_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    std::atomic<Peer*> ready{nullptr};
    bool creating = false;
    std::uint64_t round = 0;  // of creation; one ends, whatever its outcome, when this changes
    std::thread::id creator;
    Error failed{Errc::kOk, 0, {}};  // why the last round failed
  };

  // Out of memory while building is an outcome like any other: those who wait must learn it.
  template <class Make>
  static Result<std::unique_ptr<Peer>> build(std::uint32_t rank, Make&& make) {
    try {
      Result<std::unique_ptr<Peer>> made = make();
      if (!made || *made) return made;
      return make_error(Errc::kInvalid, "the way to rank {} was set up as nothing", rank);
    } catch (const std::bad_alloc&) {
      return Error{Errc::kOutOfMemory, 0, "no memory for what belongs to a peer"};
    }
  }

  Result<Peer*> park(Slot& slot, Lock<LockRank::kPeerTable>& lock, std::uint32_t rank,
                     Deadline deadline) HAWSER_NO_ANALYSIS {
    assert(slot.creator != std::this_thread::get_id() && "a creator must not ask for the peer it creates");
    HAWSER_HOOK("peer.parked");
    const std::uint64_t round = slot.round;
    while (slot.round == round) {
      if (settled_.wait_until(lock, deadline) == std::cv_status::timeout && slot.round == round) {
        return make_error(Errc::kTimedOut, "waited too long for another thread to set up the way to rank {}",
                          rank);
      }
    }
    if (Peer* peer = slot.ready.load(std::memory_order_relaxed)) return peer;
    return slot.failed.code != Errc::kOk ? slot.failed
                                         : make_error(Errc::kShutdown, "rank {} was let go", rank);
  }

  Result<Peer*> settle(Slot& slot, Result<std::unique_ptr<Peer>> made) {
    Peer* peer = made ? made->release() : nullptr;
    Error failed = made ? Error{Errc::kOk, 0, {}} : made.error();
    {
      Lock lock(mutex_);
      slot.creating = false;
      ++slot.round;
      slot.failed = failed;
      if (peer) {
        published_.fetch_add(1, std::memory_order_relaxed);
        slot.ready.store(peer, std::memory_order_release);  // the commit point
      }
    }
    settled_.notify_all();
    if (peer) return peer;
    return failed;
  }

  const std::uint32_t size_;
  std::unique_ptr<Slot[]> slots_;
  Mutex<LockRank::kPeerTable> mutex_;
  Condition settled_;
  std::atomic<std::uint64_t> published_{0};
};

}  // namespace hawser::peers
