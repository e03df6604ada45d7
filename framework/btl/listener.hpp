// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>

#include "framework/base/clock.hpp"
#include "framework/base/fd.hpp"
#include "framework/btl/parts.hpp"

namespace hawser::btl {

/// A socket that is called on. While the process has no descriptor or no memory for a caller, the callers are
/// left in the kernel's queue for 100 ms at a time: else their event would come at once and for ever.
/// Progress role only, after `start`.
class Listener {
 public:
  Listener() = default;
  ~Listener() { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Takes over a socket that listens, not blocking, and calls `object.kOnCall()` when somebody calls, as
  /// long as somebody waits. Once.
  template <auto kOnCall, class Object>
  Errc start(Host& host, Fd socket, Object& object) noexcept {
    host_ = &host;
    socket_ = std::move(socket);
    const Errc status = btl::watch<kOnCall>(host, socket_.get(), EPOLLIN, object);
    if (status != Errc::kOk) socket_.reset();
    return status;
  }

  /// The next caller; none: nobody waits, or there is nothing to take a caller in with, and errno says what
  /// is missing. `from` and `size` as for accept(2), `flags` as for accept4(2).
  Fd accept(sockaddr* from, socklen_t* size, int flags) noexcept {
    Fd caller;
    do {
      caller.reset(::accept4(socket_.get(), from, size, flags));
    } while (!caller && (errno == EINTR || errno == ECONNABORTED));
    if (caller || (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)) return caller;
    const int missing = errno;
    pause();
    errno = missing;
    return caller;
  }

  /// Whether callers are left waiting.
  bool pauses() const noexcept { return pause_ != 0; }
  /// Ends a pause before its time.
  void resume() noexcept {
    if (pause_ == 0) return;
    host_->cancel_call(pause_);
    on_pause_over();
  }

  /// Nobody can call any more.
  void close() noexcept {
    if (!socket_) return;
    if (pause_ != 0) host_->cancel_call(pause_);
    pause_ = 0;
    host_->unwatch(socket_.get());
    socket_.reset();
  }

 private:
  static constexpr std::uint64_t kPause = 100'000'000;  // ns

  void pause() noexcept {
    if (pause_ != 0) return;
    host_->rewatch(socket_.get(), 0);
    pause_ = call_at<&Listener::on_pause_over>(*host_, now_ns() + kPause, *this);
    if (pause_ == 0) on_pause_over();  // no memory for a call: better at once than never
  }
  void on_pause_over() noexcept {
    pause_ = 0;
    host_->rewatch(socket_.get(), EPOLLIN);
  }

  Host* host_ = nullptr;
  Fd socket_;
  std::uint64_t pause_ = 0;  // the call that ends it
};

}  // namespace hawser::btl
