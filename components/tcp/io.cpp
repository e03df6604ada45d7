// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/io.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "framework/base/fd.hpp"

namespace hawser::tcp {
namespace {

std::size_t io_cap() noexcept {
#if defined(HAWSER_HOOKS)
  static const std::size_t cap = [] {
    const char* text = std::getenv("HAWSER_HOOKS_IO_CAP");
    const std::size_t value = text ? std::strtoull(text, nullptr, 10) : 0;
    return value ? value : kMaxIo;
  }();
  return cap;
#else
  return kMaxIo;
#endif
}

// Cuts the parts so that together they are at most `cap` bytes. How many parts are left.
std::size_t limit(iovec* parts, std::size_t count, std::size_t cap) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (parts[i].iov_len >= cap) {
      parts[i].iov_len = cap;
      return i + 1;
    }
    cap -= parts[i].iov_len;
  }
  return count;
}

IoResult failed() noexcept {
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {Io::kAgain, 0, 0};
  return {Io::kError, 0, errno};
}

}  // namespace

IoResult send_some(int fd, iovec* parts, std::size_t count) noexcept {
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = limit(parts, count, io_cap());
  const ssize_t sent = retry_eintr([&] { return ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT); });
  if (sent < 0) return failed();
  return {Io::kMoved, static_cast<std::size_t>(sent), 0};
}

IoResult receive_some(int fd, iovec* parts, std::size_t count) noexcept {
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = limit(parts, count, io_cap());
  const ssize_t got = retry_eintr([&] { return ::recvmsg(fd, &message, MSG_DONTWAIT); });
  if (got < 0) return failed();
  if (got == 0) return {Io::kEof, 0, 0};
  return {Io::kMoved, static_cast<std::size_t>(got), 0};
}

}  // namespace hawser::tcp
