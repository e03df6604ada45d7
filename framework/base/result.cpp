// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/base/result.hpp"

#include <cerrno>
#include <cstring>

namespace hawser {

Errc class_of_errno(int sys_errno) noexcept {
  switch (sys_errno) {
    case ENOMEM:
    case ENOSPC:
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case EADDRNOTAVAIL:
      return Errc::kOutOfMemory;
    case EPERM:
    case EACCES:
      return Errc::kPermission;
    case ETIMEDOUT:
      return Errc::kTimedOut;
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ECONNREFUSED:
      return Errc::kUnreachable;
    case ECONNRESET:
    case EPIPE:
      return Errc::kPeerGone;
    default:
      return Errc::kSystem;
  }
}

Error system_error(const std::string& what, int sys_errno) {
  char buffer[128];
  const char* words = strerror_r(sys_errno, buffer, sizeof buffer);
  return Error{class_of_errno(sys_errno), sys_errno, fmt::format("{}: {}", what, words)};
}

}  // namespace hawser
