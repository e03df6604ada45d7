// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace hawser {

/// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  /// Takes over a descriptor; -1: none.
  explicit Fd(int fd) noexcept : fd_(fd) {}
  /// The other one has none any more.
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  /// Closes what it had.
  Fd& operator=(Fd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Fd() { reset(); }

  /// -1: none.
  int get() const noexcept { return fd_; }
  /// Whether it has one.
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// Gives it up without closing it.
  int release() noexcept { return std::exchange(fd_, -1); }
  /// Closes what it had, and takes over another.
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

/// Repeats a system call that a signal broke off.
template <class Call>
auto retry_eintr(Call&& call) noexcept(noexcept(call())) {
  for (;;) {
    auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace hawser
