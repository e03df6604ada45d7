// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "framework/btl/component.hpp"
#include "framework/peers/gate.hpp"

namespace hawser::bml {

/// One way to a peer: a module and its endpoint, with the limits by value so that the hot path reads one
/// place.
struct Rail {
  btl::Module* module = nullptr;
  btl::Endpoint* endpoint = nullptr;
  btl::Rdma* rdma = nullptr;  // null: cannot reach that peer's memory
  btl::Attributes limits{};
  double weight = 0;     // by bandwidth; the rails of one set add up to 1
  std::uint32_t id = 0;  // bit in Peer::dead
  const char* component = "";
};

/// The ways to one peer: immutable once published, but for what has an atomic or a gate of its own.
struct Peer {
  std::uint32_t rank = 0;
  std::vector<Rail> eager;          // of equal, lowest latency: any of them carries a small message
  std::vector<Rail> send;           // all that carry messages, best bandwidth first
  std::vector<Rail> rdma;           // all that read and write the peer's memory, best bandwidth first
  std::uint64_t eager_limit = 0;    // smallest of `send`, since any may have to stand in; bytes of data
  std::uint64_t rdma_min_size = 0;  // smallest of `rdma`, bytes

  std::atomic<std::uint64_t> dead{0};        // rails that failed
  std::atomic<std::uint32_t> next_eager{0};  // which of `eager` is next
  std::atomic<bool> stalled{false};          // listed for another try
  std::atomic<bool> failed{false};           // as a whole
  /// What the rails had no room for, in order.
  peers::Gate<btl::Descriptor, LockRank::kBmlPeer> pending;

  bool alive(const Rail& rail) const noexcept {
    return (dead.load(std::memory_order_relaxed) >> rail.id & 1) == 0;
  }
};

}  // namespace hawser::bml
