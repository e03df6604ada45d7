// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <vector>

#include "framework/base/fd.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/peers/one_module.hpp"
#include "ring.hpp"

namespace btl_mapped {

using btl::Posted;
using hawser::Errc;

/// What a process publishes: where its inbox is, and where its bell.
struct Card {
  std::uint64_t magic = Door::kMagic;
  std::uint64_t ring_size = 0;
  std::uint64_t largest = 0;  // message that it sends and takes
  std::int32_t memory = -1;   // number of the descriptor in that process
  std::uint32_t bell_size = 0;
  sockaddr_un bell{};
};

class Endpoint;

class Module : public hawser::peers::OneModule<Endpoint> {
 public:
  Module() noexcept : OneModule("mapped") {}

  hawser::Fd bell;  // a datagram ends our sleep
  Inbox inbox;      // ours
};

/// The two ways to a peer mapped: its inbox and ours. Lives until the component closes.
class Endpoint final : public btl::Endpoint {
 public:
  Endpoint(Module& ours, std::uint32_t rank, const Card& card, Inbox theirs, hawser::Fd process)
      : ours_(ours), rank_(rank), card_(card), theirs_(theirs), process_(std::move(process)) {
    buffer_.resize(sizeof(Frame) + btl::kMaxHeader + ours.attributes().max_send_size);
  }
  ~Endpoint() { ::munmap(theirs_.memory, Inbox::size_for(ours_.host().job().size, theirs_.ring_size)); }

  /// Tells the peer that we are there, and asks to hear of its death. Once it is published.
  Errc start() noexcept {
    hawser::HotLock lock(mutex_);
    if (started_ || over_.load(std::memory_order_relaxed)) return Errc::kOk;
    const Errc status = btl::watch<&Endpoint::on_death>(ours_.host(), process_.get(), EPOLLIN, *this);
    if (status != Errc::kOk) return status;
    started_ = true;
    in().reader.store(Side::kThere, std::memory_order_release);
    out().writer.store(Side::kThere, std::memory_order_release);
    knock();
    return Errc::kOk;
  }

  /// Any thread. Everything is copied, so nothing ever pends.
  Posted post(const btl::Outgoing& message) noexcept {
    const btl::Head& head = message.head;
    const Frame frame{std::uint32_t(message.size), head.tag, std::uint8_t(head.size)};
    hawser::HotLock lock(mutex_);
    if (over_.load(std::memory_order_relaxed)) return Posted::kUnreachable;
    const std::uint64_t at = out().head.load(std::memory_order_relaxed);
    if (!has_room(at, frame.span())) {
      out().wants_room.store(1, std::memory_order_seq_cst);
      if (!has_room(at, frame.span()))  // the reader has not taken anything before it could see our wish
        return ours_.refused();
    }
    std::uint64_t to = at;
    const auto add = [&](const void* bytes, std::size_t size) {
      out().put(to, bytes, size, theirs_.ring_size);
      to += size;
    };
    add(&frame, sizeof frame);
    add(head.bytes, head.size);
    for (std::size_t i = 0; i < message.piece_count; ++i)
      add(message.pieces[i].iov_base, message.pieces[i].iov_len);
    out().head.store(at + frame.span(), std::memory_order_release);
    ring_if_asleep();
    return ours_.sent(frame.size, Posted::kDone);
  }

  /// Progress role. Delivers what has come, but not more than a burst.
  int poll() noexcept {
    int moved = 0;
    while (moved < kBurst && take_one()) ++moved;
    if (moved != 0 && in().wants_room.exchange(0, std::memory_order_seq_cst) != 0) ring();
    if (moved == 0 && !over_.load(std::memory_order_relaxed)) look_at_sides();
    return moved;
  }
  /// Something has come. Progress role.
  bool has_news() noexcept {
    return !over_.load(std::memory_order_relaxed) &&
           (in().head.load(std::memory_order_acquire) != in().tail.load(std::memory_order_relaxed) ||
            in().writer.load(std::memory_order_acquire) >= Side::kSaidGoodbye ||
            out().reader.load(std::memory_order_acquire) >= Side::kSaidGoodbye);
  }

  bool flushed() noexcept { return true; }  // what is in a ring is in the peer's hands
  bool part() noexcept { return true; }     // there is always room for a last word

  /// Any thread. False: it had ended before. Nothing ever pends, so nothing completes.
  bool end(Errc, bool goodbye) noexcept {
    const Side last_word = goodbye ? Side::kSaidGoodbye : Side::kBroken;
    hawser::HotLock lock(mutex_);
    if (over_.exchange(true, std::memory_order_relaxed)) return false;
    out().writer.store(last_word, std::memory_order_release);  // first: a goodbye is more than a closed door
    in().reader.store(last_word, std::memory_order_release);
    knock();
    return true;
  }
  /// After `end`. Progress role.
  void close() noexcept {
    if (process_) ours_.host().unwatch(process_.get());
    process_.reset();
  }

  std::unique_ptr<Endpoint> next;  // of those that were let go

 private:
  static constexpr int kBurst = 64;

  Ring& in() noexcept { return ours_.inbox.ring(rank_); }
  Ring& out() noexcept { return theirs_.ring(ours_.host().job().rank); }

  // A tail from outside: it can be wrong in one way only, being ahead of what we wrote or too far behind it.
  bool has_room(std::uint64_t head, std::size_t span) noexcept {
    const std::uint64_t used = head - out().tail.load(std::memory_order_seq_cst);
    return used <= theirs_.ring_size && span <= theirs_.ring_size - used;
  }
  void ring() noexcept {
    ::sendto(ours_.bell.get(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&card_.bell),
             card_.bell_size);  // no room: it is rung already
  }
  void ring_if_asleep() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with Component::arm
    auto& is_asleep = theirs_.door().is_asleep;
    if (is_asleep.load(std::memory_order_relaxed) != 0 &&
        is_asleep.exchange(0, std::memory_order_relaxed) != 0)
      ring();
  }
  void knock() noexcept {
    theirs_.door().knocks.fetch_add(1, std::memory_order_release);
    ring_if_asleep();
  }

  bool take_one() noexcept {
    if (over_.load(std::memory_order_relaxed)) return false;
    const std::uint64_t at = in().tail.load(std::memory_order_relaxed);
    const std::uint64_t there = in().head.load(std::memory_order_acquire) - at;
    if (there == 0) return false;
    Frame frame;
    if (there > ours_.inbox.ring_size || there < sizeof frame)
      return fail(Errc::kProtocol, "it broke its ring");
    in().get(at, &frame, sizeof frame, ours_.inbox.ring_size);
    if (!frame.is_sane(there, buffer_.size())) return fail(Errc::kProtocol, "it wrote what is no message");
    unsigned char header[btl::kMaxHeader];
    in().get(at + sizeof frame, header, frame.header_size, ours_.inbox.ring_size);
    in().get(at + sizeof frame + frame.header_size, buffer_.data(), frame.size, ours_.inbox.ring_size);
    in().tail.store(at + frame.span(), std::memory_order_seq_cst);
    const btl::Head head{header, frame.header_size, frame.tag};
    return ours_.deliver(*this, rank_, head, buffer_.data(), frame.size) ||
           fail(Errc::kProtocol, "it sent an unknown tag");
  }

  /// The ring is empty: has the peer ended?
  void look_at_sides() noexcept {
    const Side reader = out().reader.load(std::memory_order_acquire);  // written last, so it is read first
    const Side writer = in().writer.load(std::memory_order_acquire);
    if (in().head.load(std::memory_order_acquire) != in().tail.load(std::memory_order_relaxed)) return;
    if (writer == Side::kSaidGoodbye) {
      end(Errc::kPeerGone, true);
      close();
    } else if (writer >= Side::kBroken || reader >= Side::kSaidGoodbye) {
      fail(Errc::kPeerGone, "it gave it up");
    }
  }

  void on_death() noexcept {
    while (poll() != 0) {  // what it wrote before is still there
    }
    fail(Errc::kPeerGone, "its process ended");  // unless it said goodbye
    close();
  }

  bool fail(Errc status, const char* what) noexcept {
    ours_.fail(*this, rank_, status, what);
    return false;
  }

  Module& ours_;
  const std::uint32_t rank_;
  const Card card_;
  const Inbox theirs_;
  hawser::Fd process_;  // readable once the peer is dead; the progress role's
  std::atomic<bool> over_{false};
  hawser::HotMutex<hawser::LockRank::kEndpoint> mutex_;  // the writer's half
  bool started_ HAWSER_GUARDED_BY(mutex_) = false;
  std::vector<unsigned char> buffer_;  // the reader's
};

}  // namespace btl_mapped
