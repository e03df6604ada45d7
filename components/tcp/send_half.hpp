// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "components/tcp/counters.hpp"
#include "components/tcp/flusher.hpp"
#include "components/tcp/frame.hpp"
#include "components/tcp/send_buffer.hpp"
#include "framework/base/list.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/btl/host.hpp"
#include "framework/btl/module.hpp"
#include "framework/peers/gate.hpp"

namespace hawser::tcp {

struct Context;
class Endpoint;
using ModuleCounters = Counters<Counter>;

/// What is to be sent to one peer over one connection. Until the connection stands, descriptors wait in a
/// gate; once it does, they go out at once or wait in a queue for room in the socket. Nothing overtakes
/// anything. Small messages that follow another in quick succession wait in a buffer, to share a write.
///
/// post_* from any thread; the rest from the progress role, unless it says otherwise.
class SendHalf {
 public:
  /// `largest`: frame that post_now may be given, bytes.
  SendHalf(Context& context, Endpoint& endpoint, ModuleCounters& counters, std::size_t largest) noexcept;

  btl::Posted post(btl::Descriptor& descriptor) noexcept;
  btl::Posted post_now(btl::Head head, const void* data, std::size_t size) noexcept;
  /// Whether posts go through to a socket. Any thread.
  bool is_open() const noexcept { return gate_.is_open(); }

  /// The connection stands: sends what waited.
  void open(int fd) noexcept;
  /// Writes what waits, as much as is fair; the rest in the next pass, or when the socket has room. Whether
  /// anything went.
  bool flush() noexcept;
  /// The same, called by the flusher.
  bool flush_listed() noexcept;
  /// What came of `help`.
  struct Help {
    bool wrote = false;  // something went
    bool more = false;   // the endpoint is to be listed again: somebody sends just now, or more waits
    bool look = false;   // messages that went have to be told: complete_gone
  };
  /// Writes what waits for others, in the flusher's thread.
  Help help() noexcept;
  /// Completes what was written where it could not be told. Progress role.
  void complete_gone() noexcept;
  /// Whether the event loop tells of bytes that come. False: there is no connection, or it does not do as it
  /// is told.
  bool watch_bytes(bool wanted) noexcept;
  /// Nothing goes out any more, and everything that waits completes with `status`. Any thread. The socket is
  /// not touched after this returns.
  void break_off(Errc status) noexcept;
  /// What waits for the connection completes with `status`; it may still come.
  void hand_back(Errc status) noexcept;
  /// Tells the peer what this process publishes now, after what waits. Nothing, if there is no connection.
  void post_update(const std::string& bytes) noexcept;
  /// Whether the peer's system may lack something of what was taken for sent.
  bool unconfirmed() noexcept;
  /// Nothing is taken any more; the update is said if nothing waits. As `unconfirmed`, without the update.
  bool end_with_update(const std::string& bytes) noexcept;
  /// Last words, once; false: something still waits, or the socket is full.
  bool say_goodbye(FrameKind kind = FrameKind::kGoodbye) noexcept;
  /// The end of an immediate send waits for room: its sender thinks that it is gone.
  bool has_rest() noexcept;

  bool idle() noexcept;
  bool wanted() noexcept { return gate_.waiting() != 0; }
  /// errno of a write that failed; 0: none did. Any thread.
  int write_error() const noexcept { return write_error_.load(std::memory_order_acquire); }

 private:
  btl::Posted write_first_locked(btl::Descriptor& descriptor) HAWSER_REQUIRES(mutex_);
  btl::Posted write_now_locked(const iovec* parts, std::size_t count) HAWSER_REQUIRES(mutex_);
  bool in_burst_locked(std::uint64_t now) HAWSER_REQUIRES(mutex_);
  bool gather_locked(const iovec* parts, std::size_t count, std::uint64_t now, bool may_wait)
      HAWSER_REQUIRES(mutex_);
  bool gather_locked(btl::Descriptor& descriptor, std::uint64_t now) HAWSER_REQUIRES(mutex_);
  bool may_hold_locked(std::size_t size, std::uint64_t now) HAWSER_REQUIRES(mutex_);
  void hold_first_locked(btl::Descriptor& descriptor, std::uint64_t now) HAWSER_REQUIRES(mutex_);
  void hold_next_locked(const btl::Descriptor& descriptor, std::uint64_t now) HAWSER_REQUIRES(mutex_);
  void write_held_locked() HAWSER_REQUIRES(mutex_);
  void wait_locked(bool full) HAWSER_REQUIRES(mutex_);
  void flush_gathered_locked() HAWSER_REQUIRES(mutex_);
  void break_locked(int error) HAWSER_REQUIRES(mutex_);
  bool keep_rest_locked(const iovec* parts, std::size_t count, std::size_t sent) HAWSER_REQUIRES(mutex_);
  bool write_queue_locked(Fifo<btl::Descriptor>& done, std::size_t& turn) HAWSER_REQUIRES(mutex_);
  std::size_t collect_locked(iovec* parts) HAWSER_REQUIRES(mutex_);
  void advance_locked(std::size_t bytes, Fifo<btl::Descriptor>& done) HAWSER_REQUIRES(mutex_);
  void watch_room_locked(bool wanted) HAWSER_REQUIRES(mutex_);
  bool rewatch_locked() HAWSER_REQUIRES(mutex_);
  bool waits_locked() const noexcept HAWSER_REQUIRES(mutex_) { return !buffer_.empty() || !queue_.empty(); }
  bool unconfirmed_locked() const HAWSER_REQUIRES(mutex_);
  void count_sent(std::size_t bytes) noexcept;

  btl::Host& host_;
  Flusher& flusher_;
  Endpoint& endpoint_;
  const std::uint64_t burst_gap_ns_;
  ModuleCounters& counters_;
  peers::Gate<btl::Descriptor, LockRank::kEndpoint> gate_;
  std::atomic<int> write_error_{0};

  HotMutex<LockRank::kEndpoint, true> mutex_;  // the flusher may come
  int fd_ HAWSER_GUARDED_BY(mutex_) = -1;
  bool broken_ HAWSER_GUARDED_BY(mutex_) = false;
  bool watching_bytes_ HAWSER_GUARDED_BY(mutex_) = true;
  bool watching_room_ HAWSER_GUARDED_BY(mutex_) = false;
  bool unwatched_ HAWSER_GUARDED_BY(mutex_) = false;  // neither: the event loop does not know the socket
  bool goodbye_said_ HAWSER_GUARDED_BY(mutex_) = false;
  Place place_ HAWSER_GUARDED_BY(mutex_);  // of the next frame
  Fifo<btl::Descriptor> queue_ HAWSER_GUARDED_BY(mutex_);
  // Were written where none could be told; they complete with the next pass.
  Fifo<btl::Descriptor> gone_ HAWSER_GUARDED_BY(mutex_);
  std::size_t held_ HAWSER_GUARDED_BY(mutex_) = 0;  // bytes of queued messages that wait for more to come
  // Messages that were gathered, and what the socket did not take of an immediate send; goes before the
  // queue.
  SendBuffer buffer_ HAWSER_GUARDED_BY(mutex_);
  bool listed_ HAWSER_GUARDED_BY(mutex_) = false;                 // with the flusher
  std::uint64_t last_ns_ HAWSER_GUARDED_BY(mutex_) = 0;           // end of the last post
  std::uint64_t gathers_since_ns_ HAWSER_GUARDED_BY(mutex_) = 0;  // the first message in the buffer
};

}  // namespace hawser::tcp
