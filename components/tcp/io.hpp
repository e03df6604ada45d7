// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace hawser::tcp {

inline constexpr std::size_t kMaxIo = std::size_t{1}
                                      << 30;   // bytes in one system call; the kernel's limit is near 2 GiB
inline constexpr std::size_t kMaxPieces = 64;  // parts gathered in one system call

enum class Io : std::uint8_t { kMoved, kAgain, kEof, kError };

struct IoResult {
  Io what;
  std::size_t bytes;  // kMoved
  int error;          // kError: errno
};

/// One non-blocking send or receive, repeated only when a signal broke it off. Parts beyond `most` or kMaxIo
/// are cut off, so a short result is normal. Never raises SIGPIPE. Receiving nothing where something was
/// asked for is kEof. With HAWSER_HOOKS, HAWSER_HOOKS_IO_CAP=N moves at most N bytes in each call.
IoResult send_some(int fd, iovec* parts, std::size_t count, std::size_t most = kMaxIo) noexcept;
IoResult receive_some(int fd, iovec* parts, std::size_t count) noexcept;

}  // namespace hawser::tcp
