// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstring>
#include <vector>

#include "framework/base/fd.hpp"
#include "framework/base/list.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/peers/one_module.hpp"
#include "wire.hpp"

namespace btl_ferry {

using btl::Posted;
using hawser::Errc;
using hawser::Fd;

class Endpoint;

/// Our side, as a peer sees it: the base, and that its door can be looked at. How-to, section 13.
class Module : public hawser::peers::OneModule<Endpoint> {
 public:
  Module() noexcept : OneModule("ferry") {}
  virtual bool accept() noexcept = 0;  // takes in who waits at our door; false: there may be more
};

/// A peer. Two streams join us: we write on the one that we opened and read on the one that the peer opened,
/// so that two who call each other at once do not collide. It lives until the component closes.
class Endpoint final : public btl::Endpoint {
 public:
  Endpoint(Module& ours, std::uint32_t rank, Fd out) : ours_(ours), rank_(rank), out_(std::move(out)) {
    buffer_.resize(sizeof(Frame) + btl::kMaxHeader + ours.attributes().max_send_size);
    unsent_.resize(2 * buffer_.size());  // here, so that no post allocates
  }

  /// Once it is published: from here on events may come.
  Errc start() noexcept {
    hawser::HotLock lock(mutex_);
    if (started_ || over_) return Errc::kOk;
    const Errc status = btl::watch<&Endpoint::on_out>(ours_.host(), out_.get(), 0, *this);
    started_ = status == Errc::kOk;  // epoll tells unasked if the stream breaks
    return status;
  }

  // Sending: how-to, sections 4 and 14. Any thread. The lock is held over no call up, and over no wait.

  Posted post(const btl::Outgoing& message) noexcept {
    hawser::HotLock lock(mutex_);
    if (over_) return Posted::kUnreachable;
    const bool taken = queue_.empty() && put(message);  // nobody overtakes what waits
    if (!taken && (!message.descriptor || queue_.size() == kQueue))
      return ours_.refused();  // bytes wait, so on_out will come and wake who sleeps
    if (!taken) queue_.push_back(*message.descriptor);
    write();
    if (waiting_ != 0) ours_.host().rewatch(out_.get(), EPOLLOUT);  // on_out ends it, with the queue empty
    return ours_.sent(message.size, taken ? Posted::kDone : Posted::kPending);
  }

  bool flushed() noexcept {
    hawser::HotLock lock(mutex_);
    return over_ || (waiting_ == 0 && queue_.empty());
  }

  // Receiving: how-to, section 15. Progress role, and so without a lock.

  void adopt(Fd in) noexcept {
    if (in_ || over_) return;  // one stream of each peer: this one is closed
    in_ = std::move(in);
    const Errc status = btl::watch<&Endpoint::on_in>(ours_.host(), in_.get(), EPOLLIN, *this);
    if (status != Errc::kOk) fail(status, "its stream cannot be watched");
  }

  // The end: how-to, section 16.

  /// Any thread. What waits completes with `status`. False: it had ended before.
  bool end(Errc status, bool goodbye) noexcept {
    hawser::HotLock lock(mutex_);
    if (goodbye) say_goodbye();
    if (over_.exchange(true)) return false;
    ::shutdown(out_.get(), SHUT_WR);
    hawser::Fifo<btl::Descriptor> pending = std::move(queue_);
    lock.unlock();
    while (btl::Descriptor* d = pending.pop_front()) d->on_complete(*d, status);
    return true;
  }

  /// Two that end at once, with full ways, must not wait for each other: what comes is thrown away.
  bool part() noexcept {
    if (in_) ::recv(in_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    hawser::HotLock lock(mutex_);
    return say_goodbye();
  }

  /// After the end, in the progress role, which alone may be inside a stream.
  void close() noexcept {
    hawser::HotLock lock(mutex_);  // a thread in `end` may still use it
    const Fd streams[] = {std::move(out_), std::move(in_)};
    lock.unlock();
    for (const Fd& stream : streams)
      if (stream) ours_.host().unwatch(stream.get());
  }

  std::unique_ptr<Endpoint> next;  // of those that were let go

 private:
  static constexpr std::size_t kQueue = 64;  // descriptors that wait

  bool put(const btl::Outgoing& message) noexcept HAWSER_REQUIRES(mutex_) {
    const btl::Head& head = message.head;
    const Frame frame{std::uint32_t(message.size), head.tag, std::uint8_t(head.size)};
    if (waiting_ + frame.total() > unsent_.size()) return false;
    std::memcpy(&unsent_[waiting_], &frame, sizeof frame);
    message.copy_to(unsent_.data() + waiting_ + sizeof frame);
    waiting_ += frame.total();
    return true;
  }

  /// Whether a send failed for good, which is for on_out to judge; else it is tried again.
  static bool broke() noexcept { return errno == EPIPE || errno == ECONNRESET; }
  /// As much as the stream takes now. True: nothing waits any more, or nobody is there to read it.
  bool write() noexcept HAWSER_REQUIRES(mutex_) {
    const ssize_t n = ::send(out_.get(), unsent_.data(), waiting_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) return broke();
    waiting_ -= static_cast<std::size_t>(n);
    std::memmove(unsent_.data(), unsent_.data() + n, waiting_);
    return waiting_ == 0;
  }

  /// The last word, after all others. False: there is no room for it.
  bool say_goodbye() noexcept HAWSER_REQUIRES(mutex_) {
    if (over_ || said_goodbye_) return true;
    if (!write()) return false;
    const Frame last{.kind = Frame::kGoodbye};
    said_goodbye_ = ::send(out_.get(), &last, sizeof last, MSG_DONTWAIT | MSG_NOSIGNAL) > 0 || broke();
    return said_goodbye_;
  }

  void on_out(std::uint32_t events) noexcept {
    if (over_) return close();
    hawser::Fifo<btl::Descriptor> taken;
    hawser::HotLock lock(mutex_);
    write();
    while (!queue_.empty() && put(btl::Outgoing(*queue_.front()))) taken.push_back(*queue_.pop_front());
    ours_.host().rewatch(out_.get(), waiting_ == 0 ? 0u : EPOLLOUT);
    lock.unlock();
    while (btl::Descriptor* d = taken.pop_front()) d->on_complete(*d, Errc::kOk);  // with no lock held
    if (over_ || (events & (EPOLLHUP | EPOLLERR)) == 0) return;  // who was told may have given us up
    if (!ours_.accept()) return;  // the peer's stream may wait at our door, with its last words
    ours_.host().unwatch(out_.get());
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
      if (frame.kind == Frame::kGoodbye) {
        end(Errc::kPeerGone, false);
        return close();
      }
      if (have_ - at < frame.total()) break;
      const unsigned char* const header = &buffer_[at] + sizeof frame;
      const btl::Head head{header, frame.header_size, frame.tag};
      if (!ours_.deliver(*this, rank_, head, header + frame.header_size, frame.size))
        return fail(Errc::kProtocol, "its tag is unknown");
      if (over_) return;  // the handler gave us up
    }
    std::memmove(buffer_.data(), buffer_.data() + at, have_ -= at);
  }

  void fail(Errc status, const char* what) noexcept { ours_.fail(*this, rank_, status, what); }

  Module& ours_;
  const std::uint32_t rank_;
  std::atomic<bool> over_{false};  // written under the lock
  hawser::HotMutex<hawser::LockRank::kEndpoint> mutex_;
  bool started_ HAWSER_GUARDED_BY(mutex_) = false;
  bool said_goodbye_ HAWSER_GUARDED_BY(mutex_) = false;
  Fd out_;
  std::vector<unsigned char> unsent_ HAWSER_GUARDED_BY(mutex_);    // bytes that the stream has not taken yet:
  std::size_t waiting_ HAWSER_GUARDED_BY(mutex_) = 0;              // so many
  hawser::Fifo<btl::Descriptor> queue_ HAWSER_GUARDED_BY(mutex_);  // those for which there is no room in it
  Fd in_;
  std::vector<unsigned char> buffer_;
  std::size_t have_ = 0;
};

}  // namespace btl_ferry
