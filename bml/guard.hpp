// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "bml/peer.hpp"
#include "bml/receipts.hpp"
#include "framework/base/list.hpp"
#include "framework/base/spin_mutex.hpp"

namespace hawser::bml {

class Bml;
class Guard;

/// A message of a guarded peer, from its number to its acknowledgement.
struct Kept {
  Kept* next = nullptr;
  btl::Descriptor descriptor;  // its header: a GuardHeader, then the message's own
  /// Acknowledged, or the peer failed. Called once, with no lock held, when no rail holds it any more.
  void (*on_end)(Kept& self, Errc status) noexcept = nullptr;
  void* owner = nullptr;
  bool copied = false;  // `owner` is a Copy

  // --- the guard's own
  Guard* guard = nullptr;
  btl::Endpoint* on = nullptr;  // the rail that it was last given to
  std::uint32_t number = 0;
  bool held = false;  // by a rail, or by the queue of what is to be sent
  bool over = false;  // ends once it is not held any more
  Errc status = Errc::kOk;
};

/// Fills what the BML knows of the header; number and acknowledgement come with each post.
void fill_header(Kept& kept, GuardKind kind, btl::Tag tag, const void* header, std::uint32_t size,
                 bool urgent) noexcept;

/// Exactly once over rails that come and go, with one peer: what we sent and is not acknowledged, and what we
/// have received. The protocol: docs/decisions/exactly-once.md. Made at the first contact that needs it,
/// lives as long as the BML.
class Guard {
 public:
  /// `window`: most messages that are out, up to kMaxWindow.
  Guard(Bml& bml, std::uint32_t rank, std::uint32_t window);
  ~Guard();

  const std::uint32_t rank;

  /// Before the first message: whose rails they are.
  void serve(Peer& peer) noexcept { peer_.store(&peer, std::memory_order_release); }

  // --- what we send; any thread
  /// Numbers the message and gives it to `rail`, or to another one soon. kDone: it is the guard's until its
  /// `on_end`, which may be called before this returns. kNoResource: nothing happened, the window is full or
  /// others wait to be sent again. kUnreachable: the peer has failed.
  btl::Posted keep(Kept& kept, const RailSet& rails, const Rail& rail) noexcept;
  /// The same with a copy of what is described; kNoResource also without memory. `data`: `count` parts of
  /// `size` bytes in all.
  btl::Posted keep_copy(btl::Head head, const iovec* data, std::size_t count, std::size_t size,
                        const RailSet& rails, const Rail& rail) noexcept;
  /// Messages that are not acknowledged.
  std::uint32_t out() noexcept;

  // --- progress role
  /// From what the peer sent: what it has. False: it was never sent.
  bool acknowledged(std::uint32_t received, std::uint32_t above) noexcept;
  /// True once after each `rail_lost`: what that rail had is put into the queue.
  bool queue_lost() noexcept;
  /// Sends what is in the queue: lost, or refused. How many went.
  int send_queued() noexcept;
  /// Size of the next message that no rail took; 0: none waits.
  std::uint64_t stuck() noexcept;
  /// Everything ends with `status`, now or when its rail lets it go.
  void fail(Errc status) noexcept;

  /// A rail died: the next `queue_lost` looks for what it had. Any thread.
  void rail_lost() noexcept { lost_.store(true, std::memory_order_release); }

  /// The rail that carried messages before the peer was guarded: in doubt, until a numbered one that went
  /// after them on it is acknowledged. Before the set with this guard is published.
  void doubt_all_of(const btl::Endpoint* endpoint) noexcept {
    doubts_.store(1, std::memory_order_relaxed);
    unnumbered_.store(endpoint, std::memory_order_release);
  }
  /// It took another message without a number, perhaps after its mark: it needs one more. False: it broke
  /// meanwhile. Any thread.
  bool doubt() noexcept;
  /// Sends the message that ends one doubt of `rail`, if it is acknowledged. Any thread.
  void mark(const RailSet& rails, const Rail& rail) noexcept;
  /// That rail broke. True: what it took without a number may be lost.
  bool loses_with(const btl::Endpoint& endpoint) noexcept;

  // --- what we receive; progress role
  Receipts receipts;
  bool listed = false;             // among those that owe an acknowledgement
  bool urgent = false;             // it is not to wait
  std::uint32_t arrived = 0;       // since the last acknowledgement
  std::uint32_t seen_by_poll = 0;  // of `arrived`
  /// What the peer was told of `receipts.state()`, as far as we know. Any thread.
  std::atomic<std::uint64_t> told{kFirstNumber};
  std::atomic<bool> telling{false};  // a rail holds an acknowledgement unsent

  /// An acknowledgement, as `Module::sendi`; and one that the rail keeps until it has room, as
  /// `Module::send`: one at a time. Progress role.
  btl::Posted tell_now(const Rail& rail) noexcept;
  btl::Posted tell(const Rail& rail) noexcept;

 private:
  btl::Posted admit(Kept& kept, const Rail& rail) noexcept;
  btl::Posted offer(Kept& kept, const RailSet& rails, const Rail& rail) noexcept;
  void wait_for_turn(Kept& kept, bool first) noexcept;
  void settle(Kept& kept, Errc status) noexcept;
  bool living(const btl::Endpoint* endpoint) const noexcept;
  Peer& peer() const noexcept { return *peer_.load(std::memory_order_acquire); }
  void retire(std::uint32_t number, Errc status, Fifo<Kept>& ended) noexcept HAWSER_REQUIRES(mutex_);
  void queue_again(Kept& kept) noexcept HAWSER_REQUIRES(mutex_);
  void show_out(std::uint32_t out) noexcept HAWSER_REQUIRES(mutex_) {
    if (Peer* served = peer_.load(std::memory_order_acquire)) {
      served->live->unacknowledged.store(out, std::memory_order_relaxed);
    }
  }
  static void on_told(btl::Descriptor& descriptor, Errc status) noexcept;
  static void on_rail_done(btl::Descriptor& descriptor, Errc status) noexcept;

  Bml& bml_;
  const std::uint32_t window_;
  const std::uint32_t mask_;
  std::atomic<Peer*> peer_{nullptr};
  std::atomic<bool> lost_{false};
  std::atomic<const btl::Endpoint*> unnumbered_{nullptr};
  std::atomic<std::uint32_t> doubts_{0};  // of `unnumbered_`
  std::atomic<bool> broke_{false};        // `unnumbered_` did

  HotMutex<LockRank::kBmlPeer> mutex_;
  std::uint32_t next_ HAWSER_GUARDED_BY(mutex_) = kFirstNumber;
  std::uint32_t base_ HAWSER_GUARDED_BY(mutex_) = kFirstNumber;  // all before it are acknowledged
  std::uint32_t out_ HAWSER_GUARDED_BY(mutex_) = 0;
  Errc failed_ HAWSER_GUARDED_BY(mutex_) = Errc::kOk;
  Fifo<Kept> unsent_ HAWSER_GUARDED_BY(mutex_);
  std::unique_ptr<Kept*[]> ring_ HAWSER_GUARDED_BY(mutex_);  // by number; null: acknowledged
};

}  // namespace hawser::bml
