// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "components/shm/assembly.hpp"
#include "components/shm/doorbell.hpp"
#include "components/shm/endpoint.hpp"
#include "components/shm/module.hpp"
#include "components/shm/ring_receiver.hpp"
#include "components/shm/segment.hpp"
#include "framework/base/mutex.hpp"
#include "framework/btl/component.hpp"
#include "framework/btl/host.hpp"
#include "framework/peers/kept.hpp"
#include "framework/peers/peer_table.hpp"

namespace hawser::shm {

/// A sender that has come: the ring in our segment that it fills. The progress role's own.
struct Inbound {
  std::uint32_t rank = 0;
  RingReceiver ring;
  Endpoint* peer = nullptr;       // the way back, once it is known; see expect_answer
  std::uint64_t answered_at = 0;  // messages that had gone there when the last one came
  Assembly assembly;              // of a message that comes in pieces
  Fd doorbell;                    // of the sender; -1: cannot be rung, it then looks by itself
  bool light = false;             // see light_fence
};

/// Ranks on the same node. One module; a segment and a doorbell of our own, and per peer a ring in its
/// segment.
///
/// Files after the steps: component.cpp (open, close), connect.cpp (first contact), receive.cpp (senders that
/// have come, polling), sleep.cpp (arm, disarm), peer_watch.cpp (death of a peer, failures), module.cpp
/// (posts), outgoing.cpp (posts that wait for room).
class Component final : public btl::Component {
 public:
  Errc open(btl::Host& host, char* why, std::size_t why_size) noexcept override;
  std::size_t module_count() const noexcept override { return 1; }
  btl::Module& module(std::size_t) noexcept override { return module_; }
  void add_procs(std::uint32_t rank, btl::Reach& reach) noexcept override;
  void release_peer(std::uint32_t rank) noexcept override;
  int progress() noexcept override;
  bool arm() noexcept override;
  void disarm() noexcept override;
  bool flushed() noexcept override { return sending_count_.load(std::memory_order_acquire) == 0; }
  void close() noexcept override;

  // --- for our module and callbacks
  std::uint64_t incarnation() const noexcept { return incarnation_; }
  /// The rail is gone: posts are refused from now on, the progress role reports it. Any thread.
  void fail(Endpoint& peer, Errc status) noexcept;
  /// Some of what was posted waits for room in the ring: the progress role sees to it. Any thread.
  void send_later(Endpoint& peer) noexcept;
  /// What waits for room ends with `status`. No lock held.
  void drop_waiting(Endpoint& peer, Errc status) noexcept;
  /// Nothing that this peer sent, or sends, is delivered any more; its rail fails with `status`. Progress
  /// role.
  void give_up(std::uint32_t rank, Errc status) noexcept;
  /// See btl::Taker: one in one piece, with a header of kPlainHeader bytes.
  std::ptrdiff_t take_expected(Inbound& inbound, btl::Head head, void* memory, std::size_t room,
                               unsigned looks) noexcept;
  /// A post was refused: if the progress role sleeps, it must look for room from now on. Any thread.
  void stalled_while_asleep() noexcept {
    if (HAWSER_UNLIKELY(sleeping_.load(std::memory_order_seq_cst))) host_->wake();
  }

 private:
  Result<void> try_open();
  RingShape shape_from_params() const noexcept;
  Result<void> publish();
  void warn(const char* what, const Error& error) noexcept;

  // connect.cpp
  Result<std::unique_ptr<Endpoint>> connect(std::uint32_t rank);
  Result<Blob> blob_of(std::uint32_t rank);
  Result<void> attach(Endpoint& peer);
  std::unique_ptr<Endpoint> revive(std::uint32_t rank);
  Result<void> watch_process(Endpoint& peer);
  void try_single_copy(Endpoint& peer) noexcept;

  // receive.cpp
  int adopt_senders() noexcept;
  int hear_of_given_up() noexcept;
  void adopt(std::uint32_t rank) noexcept;
  int take(Inbound& inbound) noexcept;
  void meet_peer(Inbound& inbound) noexcept;
  void expect_answer(Inbound& inbound) noexcept;
  void take_rest(Inbound& inbound) noexcept;
  void settle(Inbound& inbound) noexcept;
  void tell_sender(Inbound& inbound) noexcept;
  void drop_broken(Inbound& inbound, Errc status) noexcept;
  void log_lost_stranger(Inbound& inbound, Errc status) noexcept;
  void purge_shut() noexcept;

  void drop_arriving(std::uint32_t rank) noexcept;
  bool begin(Inbound& inbound, const btl::Message& piece) noexcept;
  bool take_piece(Inbound& inbound, RingReceiver::Look look, const btl::Message& piece) noexcept;

  // outgoing.cpp
  int send_waiting() noexcept;
  int send_waiting(Endpoint& peer) noexcept;

  // sleep.cpp
  bool ask_for_room() noexcept;
  bool work_waits() noexcept;
  bool look_again_soon() noexcept;

  // peer_watch.cpp
  static void doorbell_rang(void* context, std::uint32_t events) noexcept;
  static void process_ended(void* context, std::uint32_t events) noexcept;
  int report_failures() noexcept;
  void report(Endpoint& peer) noexcept;
  const char* what_happened(std::uint32_t rank, Errc status) const noexcept;

  btl::Host* host_ = nullptr;
  const btl::HandlerTable* handlers_ = nullptr;
  std::uint64_t incarnation_ = 0;  // its address is published: peers read it to try single copy
  bool heavy_barriers_ = false;    // this process is registered for them, and uses them
  bool open_ = false;
  RingShape shape_{};
  OwnSegment segment_;
  Doorbell doorbell_;
  Module module_;
  std::unique_ptr<peers::PeerTable<Endpoint>> peers_;
  peers::Kept<Endpoint> retired_;

  std::atomic<bool> sleeping_{false};
  std::atomic<bool> failures_{false};          // some endpoint waits to be reported
  std::unique_ptr<std::atomic<Errc>[]> shut_;  // per rank: why nothing is taken from it any more, for good

  HotMutex<LockRank::kComponent> sending_mutex_;
  std::vector<Endpoint*> sending_
      HAWSER_GUARDED_BY(sending_mutex_);       // whose outbox is not empty; room for all
  std::atomic<std::size_t> sending_count_{0};  // and those just looked at

  // --- the progress role's own
  std::uint32_t announced_seen_ = 0;
  std::vector<std::uint64_t> adopted_;  // a bit per ring
  std::vector<std::unique_ptr<Inbound>> inbound_;
  std::vector<Endpoint*> sending_now_;
  bool any_shut_ = false;         // some ring is to be taken off the list
  std::uint64_t look_again_ = 0;  // id of the timer
};

}  // namespace hawser::shm
