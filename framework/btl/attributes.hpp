// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hawser::btl {

enum Flags : std::uint32_t {
  kFlagSend = 1u << 0,           // active messages
  kFlagOrdered = 1u << 1,        // messages of one endpoint arrive in the order of their posts
  kFlagNeedsProgress = 1u << 2,  // for people: messages move in progress only, and no hardware moves them
  kFlagTakes = 1u << 3,          // since 1.2: may have a Taker
};

/// What a module can do and what it costs. Sizes count the data of a message, without its header.
struct Attributes {
  std::uint32_t exclusivity;  // of the modules that reach a peer, only those with the highest value serve it
  std::uint32_t flags;        // Flags
  std::uint64_t eager_limit;  // largest message sent without asking, bytes
  std::uint64_t rndv_eager_limit;  // data that travels with a rendezvous request, bytes
  std::uint64_t max_send_size;     // largest single send, bytes
  std::uint64_t rdma_min_size;     // below it a transfer by put or get does not pay, bytes
  std::uint64_t rdma_max_size;     // largest single put or get, bytes
  std::uint32_t latency_ns;        // for choosing among rails
  std::uint32_t bandwidth_mbps;    // Mbit/s; weight when striping
};

}  // namespace hawser::btl
