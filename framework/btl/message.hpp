// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/base/cpu.hpp"
#include "framework/btl/descriptor.hpp"

namespace hawser::btl {

class Module;
class Endpoint;

/// An active message as a handler gets it; all of it is valid during the call only.
struct Message {
  std::uint32_t rank;        // of the sender, in the job: known, not only said
  Tag tag;                   // chose the handler
  std::uint8_t header_size;  // as the sender gave it: the handler checks it before reading
  const void* header;        // 8-byte aligned
  const void* data;          // contiguous; the placed memory if `placed` is not null
  std::size_t size;          // of the data, bytes
  void* placed;              // the cookie that `place` gave; null: nothing was placed
  // The rail that it came over. A component that asks `place` must say it: what is half read may have to be
  // given up with Module::abandon. Null: not said.
  Module* module = nullptr;      // the rail, its module
  Endpoint* endpoint = nullptr;  // the rail, its endpoint
};

/// Where the data of a message is to be written while it is being read from the wire.
struct Placement {
  void* memory = nullptr;  // room for all of the message's data
  void* cookie = nullptr;  // comes back in Message::placed; not null
};

/// What is called for messages of one tag; runs in the progress role, with no lock held, and may post.
struct Handler {
  /// The message has arrived whole. Null: nobody handles that tag.
  void (*deliver)(void* context, const Message& message) noexcept = nullptr;
  /// Optional. Asked by components that read a stream, with the header and the size but no data: true: read
  /// the data straight to `out.memory`, then deliver; false: buffer it, then deliver. After false it may be
  /// asked once more for the same message.
  bool (*place)(void* context, const Message& head, Placement& out) noexcept = nullptr;
  /// Optional, but needed with `place`: the connection broke after `place` said true; no delivery follows.
  void (*abandon)(void* context, const Message& head) noexcept = nullptr;
  void* context = nullptr;  // handed to each
};

inline constexpr std::size_t kHandlers = 256;

/// The checked table of active-message tags. Filled before any component is opened, constant after.
struct HandlerTable {
  Handler entries[kHandlers];  // by tag

  /// Hands a message up. False: nobody handles that tag; the sender broke the protocol.
  bool deliver(const Message& message) const noexcept {
    const Handler& handler = entries[message.tag];
    if (HAWSER_UNLIKELY(!handler.deliver)) return false;
    handler.deliver(handler.context, message);
    return true;
  }
};

}  // namespace hawser::btl
