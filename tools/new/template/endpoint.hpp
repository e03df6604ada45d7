// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/epoll.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "framework/base/clock.hpp"
#include "framework/base/fd.hpp"
#include "framework/base/list.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/btl/module.hpp"
#include "wire.hpp"

namespace btl_ferry {

using btl::Posted;
using hawser::Errc;
using hawser::Fd;
using Counter = btl::BaseCounter;

inline void append(std::vector<unsigned char>& to, const void* bytes, std::size_t size) noexcept {
  const auto* first = static_cast<const unsigned char*>(bytes);
  to.insert(to.end(), first, first + size);
}

/// An interface, and what it can do: how-to, section 13.
class Module : public btl::Module {
 public:
  const char* name() const noexcept override { return "ferry"; }
  const btl::Attributes& attributes() const noexcept override { return attributes_; }
  Posted sendi(btl::Endpoint& to, btl::Head head, const void* data, std::size_t size) noexcept override;
  Posted send(btl::Endpoint& to, btl::Descriptor& descriptor) noexcept override;
  void abandon(btl::Endpoint& to) noexcept override;
  btl::Rdma* rdma(btl::Endpoint&) noexcept override { return nullptr; }
  btl::CounterView counters() const noexcept override {
    return {btl::kBaseCounterInfo, counts.data(), counts.kSize};
  }

  virtual bool accept() noexcept = 0;  // takes in who waits at our door; false: there may be more
  btl::Host* host = nullptr;
  btl::Attributes attributes_{};
  hawser::Counters<Counter> counts;
};

/// A peer. Two streams join us: we write on the one that we opened and read on the one that the peer opened,
/// so that two who call each other at once do not collide. It lives until the component closes.
class Endpoint final : public btl::Endpoint {
 public:
  Endpoint(Module& ours, std::uint32_t rank, Fd out) : ours_(ours), rank_(rank), out_(std::move(out)) {
    buffer_.resize(sizeof(Frame) + btl::kMaxHeader + ours.attributes().max_send_size);
    waiting_.reserve(2 * buffer_.size());  // here, so that no post allocates
  }

  // Sending: how-to, section 14. Any thread. The lock is held over no call up, and over no wait.

  /// `d`: null if it may not wait.
  Posted post(Frame frame, const void* header, const iovec* data, std::size_t n,
              btl::Descriptor* d) noexcept {
    hawser::HotLock lock(mutex_);
    if (over_) return Posted::kUnreachable;
    const bool taken = queue_.empty() && put(frame, header, data, n);  // nobody overtakes what waits
    if (!taken && (!d || queue_.size() == kQueue)) {
      ours_.counts.add_shared(Counter::kNoResource);
      return Posted::kNoResource;  // bytes wait, so on_out will come and wake who sleeps
    }
    ours_.counts.add_shared(Counter::kMessagesSent);
    ours_.counts.add_shared(Counter::kBytesSent, frame.size);
    if (!taken) queue_.push_back(*d);
    write();
    if (!waiting_.empty()) ours_.host->rewatch(out_.get(), EPOLLOUT);
    return taken ? Posted::kDone : Posted::kPending;
  }

  /// Once it is published: from here on events may come.
  Errc start() noexcept {
    hawser::HotLock lock(mutex_);
    if (started_ || over_) return Errc::kOk;
    const auto call = [](void* self, std::uint32_t e) noexcept { static_cast<Endpoint*>(self)->on_out(e); };
    const Errc status = ours_.host->watch(out_.get(), 0, call, this);  // epoll tells unasked if it breaks
    started_ = status == Errc::kOk;
    return status;
  }

  bool flushed() noexcept {
    hawser::HotLock lock(mutex_);
    return over_ || (waiting_.empty() && queue_.empty());
  }

  // Receiving: how-to, section 15. Progress role, and so without a lock.

  void adopt(Fd in) noexcept {
    if (in_ || over_) return;  // one stream of each peer: this one is closed
    in_ = std::move(in);
    const auto call = [](void* self, std::uint32_t) noexcept { static_cast<Endpoint*>(self)->on_in(); };
    const Errc status = ours_.host->watch(in_.get(), EPOLLIN, call, this);
    if (status != Errc::kOk) fail(status, "its stream cannot be watched");
  }

  // The end: how-to, section 16.

  /// Any thread. What waits completes with `status`. `until`: when to have found room for the goodbye; only
  /// the component's close may wait for it. False: it had ended before.
  bool end(Errc status, bool goodbye, hawser::Deadline until = {}) noexcept {
    hawser::HotLock lock(mutex_);
    while (goodbye && !over_ && waiting_.empty() && !say_goodbye() && hawser::Clock::now() < until) {
      lock.unlock();
      pollfd room{out_.get(), POLLOUT, 0};
      ::poll(&room, 1, 10);
      lock.lock();
    }
    if (over_.exchange(true)) return false;
    ::shutdown(out_.get(), SHUT_WR);
    hawser::Fifo<btl::Descriptor> pending = std::move(queue_);
    lock.unlock();
    while (btl::Descriptor* d = pending.pop_front()) d->on_complete(*d, status);
    return true;
  }

  /// After `end`, in the progress role, which alone may be inside a stream.
  void close() noexcept {
    hawser::HotLock lock(mutex_);  // a thread in `end` may still use it
    const Fd streams[] = {std::move(out_), std::move(in_)};
    lock.unlock();
    for (const Fd& stream : streams)
      if (stream) ours_.host->unwatch(stream.get());
  }

  std::unique_ptr<Endpoint> next;  // of those that were let go

 private:
  static constexpr std::size_t kQueue = 64;  // descriptors that wait

  bool put(Frame frame, const void* header, const iovec* data, std::size_t pieces) HAWSER_REQUIRES(mutex_) {
    if (waiting_.size() + frame.total() > waiting_.capacity()) return false;
    append(waiting_, &frame, sizeof frame);
    append(waiting_, header, frame.header_size);
    for (std::size_t i = 0; i < pieces; ++i) append(waiting_, data[i].iov_base, data[i].iov_len);
    return true;
  }

  /// False: there is no room.
  bool say_goodbye() noexcept {
    const Frame last{.kind = Frame::kGoodbye};
    return ::send(out_.get(), &last, sizeof last, MSG_DONTWAIT | MSG_NOSIGNAL) > 0 || errno != EAGAIN;
  }

  /// As much as the stream takes now. That it broke is for on_out to see.
  void write() noexcept HAWSER_REQUIRES(mutex_) {
    const ssize_t n = ::send(out_.get(), waiting_.data(), waiting_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) waiting_.erase(waiting_.begin(), waiting_.begin() + n);
  }

  void on_out(std::uint32_t events) noexcept {
    if (over_) return close();
    hawser::Fifo<btl::Descriptor> taken;
    hawser::HotLock lock(mutex_);
    write();
    for (btl::Descriptor* d; (d = queue_.front()) && put(Frame::of(*d), d->header, d->data, d->data_count);)
      taken.push_back(*queue_.pop_front());
    ours_.host->rewatch(out_.get(), waiting_.empty() ? 0u : EPOLLOUT);
    lock.unlock();
    while (btl::Descriptor* d = taken.pop_front()) d->on_complete(*d, Errc::kOk);  // with no lock held
    if ((events & (EPOLLHUP | EPOLLERR)) == 0) return;
    if (!ours_.accept()) return;  // the peer's stream may wait at our door, with its last words
    ours_.host->unwatch(out_.get());
    if (!in_) fail(Errc::kPeerGone, "it broke the stream to it");  // else the end of that stream tells
  }

  /// One read, so that others get their turn: the event comes again while there is more.
  void on_in() noexcept {
    if (over_) return close();
    const ssize_t n = ::recv(in_.get(), &buffer_[have_], buffer_.size() - have_, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return fail(Errc::kPeerGone, "it ended without a goodbye");
    have_ += static_cast<std::size_t>(n);
    std::size_t at = 0;
    for (Frame frame; have_ - at >= sizeof frame; at += frame.total()) {
      std::memcpy(&frame, &buffer_[at], sizeof frame);
      if (!frame.is_sane(buffer_.size())) return fail(Errc::kProtocol, "it sent what is no message");
      if (frame.kind == Frame::kGoodbye) return end(Errc::kPeerGone, false), close();
      if (have_ - at < frame.total()) break;
      if (!deliver(frame, &buffer_[at + sizeof frame])) return fail(Errc::kProtocol, "its tag is unknown");
      if (over_) return;  // the handler gave us up
    }
    std::memmove(buffer_.data(), buffer_.data() + at, have_ -= at);
  }

  bool deliver(const Frame& frame, const unsigned char* bytes) noexcept {
    alignas(8) unsigned char header[btl::kMaxHeader];
    std::memcpy(header, bytes, frame.header_size);
    ours_.counts.add(Counter::kMessagesReceived);
    ours_.counts.add(Counter::kBytesReceived, frame.size);
    return ours_.host->handlers().deliver({rank_, frame.tag, frame.header_size, header,
                                           bytes + frame.header_size, frame.size, nullptr, &ours_, this});
  }

  void fail(Errc status, const char* what) noexcept {
    if (!end(status, false)) return;
    close();
    char text[128];
    std::snprintf(text, sizeof text, "ferry: the way to rank %u: %s", rank_, what);
    ours_.host->rail_failed(rank_, ours_, *this, status, text);
  }

  Module& ours_;
  const std::uint32_t rank_;
  std::atomic<bool> over_{false};  // written under the lock
  hawser::HotMutex<hawser::LockRank::kEndpoint> mutex_;
  bool started_ HAWSER_GUARDED_BY(mutex_) = false;
  Fd out_;
  std::vector<unsigned char> waiting_ HAWSER_GUARDED_BY(mutex_);   // bytes that the stream has not taken yet
  hawser::Fifo<btl::Descriptor> queue_ HAWSER_GUARDED_BY(mutex_);  // those for which there is no room in it
  Fd in_;
  std::vector<unsigned char> buffer_;
  std::size_t have_ = 0;
};

}  // namespace btl_ferry
