// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/btl/component.hpp"
#include "framework/peers/gate.hpp"

namespace hawser::bml {

/// One way to a peer: a module and its endpoint, with the limits by value so that the hot path reads one place.
struct Rail {
  btl::Module* module = nullptr;
  btl::Endpoint* endpoint = nullptr;
  btl::Rdma* rdma = nullptr;  // null: cannot reach that peer's memory
  btl::Attributes limits{};
  double weight = 0;  // share of a striped message; the rails of one set add up to 1
  const char* component = "";
};

/// The ways to one peer. Immutable once published, but for the pending queue.
struct Peer {
  std::uint32_t rank = 0;
  std::vector<Rail> eager;  // of equal, lowest latency: any of them carries a small message
  std::vector<Rail> send;   // all that carry messages, best bandwidth first
  std::vector<Rail> rdma;   // all that read and write the peer's memory
  std::uint64_t eager_limit = 0;       // smallest of `eager`, bytes of data
  std::uint64_t rndv_eager_limit = 0;  // smallest of `eager`, bytes of data
  std::uint64_t max_send_size = 0;     // smallest of `send`
  std::atomic<std::uint32_t> next_eager{0};
  std::atomic<bool> failed{false};
  peers::Gate<btl::Descriptor, LockRank::kBmlPeer> pending;
};

}  // namespace hawser::bml
