// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/link.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include "components/tcp/io.hpp"

namespace hawser::tcp {

bool Link::watch(std::uint32_t events, btl::WatchFunction function, void* context) noexcept {
  watched_ = host_.watch(fd_.get(), events, function, context) == Errc::kOk;
  watching_room_ = (events & EPOLLOUT) != 0;
  return watched_;
}

void Link::unwatch() noexcept {
  if (watched_) host_.unwatch(fd_.get());
  watched_ = false;
}

Fd Link::release() noexcept {
  unwatch();
  return std::move(fd_);
}

void Link::watch_room(bool wanted) noexcept {
  if (!watched_ || wanted == watching_room_) return;
  watching_room_ = wanted;
  host_.rewatch(fd_.get(), wanted ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

Link::Progress Link::advance(std::size_t bytes, std::size_t size) noexcept {
  done_ += bytes;
  if (done_ < size) return Progress::kPending;
  done_ = 0;
  return Progress::kDone;
}

Link::Progress Link::write_bytes(const unsigned char* bytes, std::size_t size) noexcept {
  for (;;) {
    iovec part{const_cast<unsigned char*>(bytes) + done_, size - done_};
    const IoResult result = send_some(fd_.get(), &part, 1);
    if (result.what == Io::kAgain) {
      watch_room(true);
      return Progress::kPending;
    }
    if (result.what != Io::kMoved) {
      error_ = result.error;
      return Progress::kError;
    }
    if (advance(result.bytes, size) == Progress::kDone) {
      watch_room(false);
      return Progress::kDone;
    }
  }
}

Link::Progress Link::read_bytes(unsigned char* bytes, std::size_t size) noexcept {
  for (;;) {
    iovec part{bytes + done_, size - done_};
    const IoResult result = receive_some(fd_.get(), &part, 1);
    if (result.what == Io::kAgain) return Progress::kPending;
    if (result.what == Io::kEof) return Progress::kEof;
    if (result.what == Io::kError) {
      error_ = result.error;
      return Progress::kError;
    }
    if (advance(result.bytes, size) == Progress::kDone) return Progress::kDone;
  }
}

}  // namespace hawser::tcp
