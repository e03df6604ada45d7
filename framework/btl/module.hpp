// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "framework/base/counters.hpp"
#include "framework/btl/attributes.hpp"
#include "framework/btl/descriptor.hpp"
#include "framework/btl/endpoint.hpp"
#include "framework/btl/posted.hpp"
#include "framework/btl/rdma.hpp"
#include "framework/btl/taker.hpp"

namespace hawser::btl {

/// The header of an immediate send: up to kMaxHeader bytes, 8-byte aligned. `may_wait`: the module may keep
/// the message back until its next pass, to send it with others, since the sender comes back for its request.
struct Head {
  const void* bytes;      // `size` of them
  std::uint32_t size;     // bytes, at most kMaxHeader
  Tag tag;                // whose handler gets it
  bool may_wait = false;  // see above
};

/// Every module counts these first, in this order; it may have more of its own after them.
enum class BaseCounter : std::uint16_t {
  kMessagesSent,
  kBytesSent,
  kMessagesReceived,
  kBytesReceived,
  kNoResource,
  kRdmaGets,
  kRdmaGetBytes,
  kRdmaPuts,
  kRdmaPutBytes,
  kCount
};

inline constexpr CounterInfo kBaseCounterInfo[] = {
    {"messages_sent", "messages", "active messages taken for sending"},
    {"bytes_sent", "bytes", "data of the messages taken for sending, without headers"},
    {"messages_received", "messages", "active messages delivered"},
    {"bytes_received", "bytes", "data of the messages delivered, without headers"},
    {"no_resource", "posts", "posts refused for want of room; the sender tried again later"},
    {"rdma_gets", "operations", "reads of a peer's memory"},
    {"rdma_get_bytes", "bytes", "bytes read from a peer's memory"},
    {"rdma_puts", "operations", "writes to a peer's memory"},
    {"rdma_put_bytes", "bytes", "bytes written to a peer's memory"},
};
static_assert(sizeof kBaseCounterInfo / sizeof kBaseCounterInfo[0] ==
                  static_cast<std::size_t>(BaseCounter::kCount),
              "describe every counter");

/// A module's counters: `count` of them, by any thread to read.
struct CounterView {
  const CounterInfo* info;                   // what each is
  const std::atomic<std::uint64_t>* values;  // as they are now
  std::size_t count;                         // of both arrays
};

/// One usable interface, and one link over it. Built by Component::open, lives to the end of the process.
/// Posts may come from any thread; all run to their end without waiting.
class Module {
 public:
  /// For people: "tcp/eth0#1".
  virtual const char* name() const noexcept = 0;
  /// Constant.
  virtual const Attributes& attributes() const noexcept = 0;

  /// Sends a small message whose bytes are copied before it returns. `data`: `size` contiguous bytes, at most
  /// eager_limit. kDone, kNoResource or kUnreachable; never kPending.
  virtual Posted sendi(Endpoint& endpoint, Head head, const void* data, std::size_t size) noexcept = 0;

  /// Sends the message that `descriptor` describes, at most max_send_size of data.
  virtual Posted send(Endpoint& endpoint, Descriptor& descriptor) noexcept = 0;

  /// Gives the rail up: from its return on nothing that is still under way on it is placed or delivered; what
  /// is pending completes with kUnreachable; posts answer kUnreachable. No rail_failed follows; the peer is
  /// told, and reports the rail. Progress role, no lock held. Whoever sends again over another relies on it.
  virtual void abandon(Endpoint& endpoint) noexcept = 0;

  /// Null where memory of that peer cannot be reached.
  virtual Rdma* rdma(Endpoint& endpoint) noexcept = 0;

  /// Any thread; valid for as long as the module.
  virtual CounterView counters() const noexcept = 0;

  /// Since 1.2, and asked only where the attributes have kFlagTakes. Null: messages of that peer all go the
  /// usual way.
  virtual Taker* taker([[maybe_unused]] Endpoint& endpoint) noexcept { return nullptr; }

 protected:
  ~Module() = default;
};

}  // namespace hawser::btl
