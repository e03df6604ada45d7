// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/io.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

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

// Of one part, without the C library: there a call of a process with several threads may be cancelled, and
// that costs it more than all it does itself here.
ssize_t send_one(int fd, const iovec& part) noexcept {
#if defined(SYS_sendto)
  return ::syscall(SYS_sendto, fd, part.iov_base, part.iov_len, MSG_NOSIGNAL | MSG_DONTWAIT, nullptr, 0);
#else
  return ::send(fd, part.iov_base, part.iov_len, MSG_NOSIGNAL | MSG_DONTWAIT);
#endif
}
ssize_t receive_one(int fd, const iovec& part) noexcept {
#if defined(SYS_recvfrom)
  return ::syscall(SYS_recvfrom, fd, part.iov_base, part.iov_len, MSG_DONTWAIT, nullptr, nullptr);
#else
  return ::recv(fd, part.iov_base, part.iov_len, MSG_DONTWAIT);
#endif
}

}  // namespace

IoResult send_some(int fd, iovec* parts, std::size_t count, std::size_t most) noexcept {
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = limit(parts, count, std::min(most, io_cap()));
  const ssize_t sent = retry_eintr([&] {
    return message.msg_iovlen == 1 ? send_one(fd, *parts)
                                   : ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  });
  if (sent < 0) return failed();
  return {Io::kMoved, static_cast<std::size_t>(sent), 0};
}

IoResult receive_some(int fd, iovec* parts, std::size_t count) noexcept {
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = limit(parts, count, io_cap());
  const ssize_t got = retry_eintr([&] {
    return message.msg_iovlen == 1 ? receive_one(fd, *parts) : ::recvmsg(fd, &message, MSG_DONTWAIT);
  });
  if (got < 0) return failed();
  if (got == 0) return {Io::kEof, 0, 0};
  return {Io::kMoved, static_cast<std::size_t>(got), 0};
}

}  // namespace hawser::tcp
