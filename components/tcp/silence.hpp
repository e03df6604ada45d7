// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace hawser::tcp {

/// What the kernel knows of the other end of a connection.
struct LineState {
  std::uint64_t unacknowledged = 0;  // segments sent and not confirmed
  std::uint64_t retransmits = 0;     // of the oldest of them, in a row
  std::uint64_t probes = 0;          // unanswered, of a closed window or an idle line
  std::uint64_t heard_ms_ago = 0;    // last confirmation of any kind
};

/// Whether the peer's system no longer answers. A peer that merely does not read (closed window) still
/// answers probes and never counts as silent, however long it computes.
constexpr bool is_silent(const LineState& line, std::uint64_t limit_ms) noexcept {
  constexpr std::uint64_t kRepeats = 3;
  const bool unanswered =
      (line.unacknowledged != 0 && line.retransmits >= kRepeats) || line.probes >= kRepeats;
  return unanswered && line.heard_ms_ago >= limit_ms;
}

/// False: the kernel does not tell.
bool read_line_state(int fd, LineState& line) noexcept;

}  // namespace hawser::tcp
