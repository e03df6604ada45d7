// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hawser {

/// What went wrong, in the words of every layer. Crosses the plug-in boundary, so values are never reused.
enum class Errc : std::int32_t {
  kOk = 0,
  kInvalid = 1,       // an argument or a parameter has a value that is not allowed
  kNotFound = 2,      // looked for, and not there
  kTimedOut = 3,      // a deadline passed
  kUnreachable = 4,   // no way to that peer
  kOutOfMemory = 5,   // memory, files, ports or other room ran out
  kProtocol = 6,      // a peer sent what it must not send
  kPeerGone = 7,      // the peer closed, died or was restarted
  kPermission = 8,    // the system refused
  kSystem = 9,        // any other failed system call; see the errno beside it
  kUnsupported = 10,  // cannot be done by this build, component or version
  kShutdown = 11,     // we are closing
  kVersion = 12,      // two sides of different versions
  kTruncated = 13,    // more bytes than room
};

/// A few words, lower case, without a full stop.
constexpr const char* to_text(Errc code) noexcept {
  switch (code) {
    case Errc::kOk:
      return "ok";
    case Errc::kInvalid:
      return "invalid value";
    case Errc::kNotFound:
      return "not found";
    case Errc::kTimedOut:
      return "timed out";
    case Errc::kUnreachable:
      return "unreachable";
    case Errc::kOutOfMemory:
      return "out of memory or other room";
    case Errc::kProtocol:
      return "protocol error";
    case Errc::kPeerGone:
      return "peer gone";
    case Errc::kPermission:
      return "not permitted";
    case Errc::kSystem:
      return "system call failed";
    case Errc::kUnsupported:
      return "not supported";
    case Errc::kShutdown:
      return "shutting down";
    case Errc::kVersion:
      return "version mismatch";
    case Errc::kTruncated:
      return "truncated";
  }
  return "unknown error";
}

}  // namespace hawser
