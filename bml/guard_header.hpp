// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/btl/descriptor.hpp"

namespace hawser::bml {

// What travels in front of the header of each message to a guarded peer; host byte order, see
// docs/wire-format.md. The protocol: docs/decisions/exactly-once.md.

inline constexpr btl::Tag kTagGuard = 0x08;

inline constexpr std::uint32_t kMaxWindow = 4096;  // messages that are not acknowledged, at most
inline constexpr std::uint32_t kFirstNumber =
    0u - 1000u;  // so that the wrap is met early, and not after days

enum class GuardKind : std::uint8_t {
  kMessage,          // numbered; the message follows
  kAcknowledgement,  // not numbered, nothing follows
  kMark,             // numbered, nothing follows
};

struct GuardHeader {
  std::uint32_t number;
  std::uint32_t received;  // of the other direction: every number before this one is here
  std::uint32_t above;     // bit i: number received + 1 + i is here too
  btl::Tag tag;            // of the message
  std::uint8_t attempt;    // how often it was sent before, at most 255
  GuardKind kind;
  std::uint8_t urgent;  // not 0: an operation waits for the acknowledgement
};
static_assert(sizeof(GuardHeader) == 16);
// The longest header above, a rendezvous request, has 72 bytes.
static_assert(sizeof(GuardHeader) + 72 <= btl::kMaxHeader);

}  // namespace hawser::bml
