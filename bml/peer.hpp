// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/btl/component.hpp"
#include "framework/live/page.hpp"
#include "framework/peers/gate.hpp"

namespace hawser::bml {

class Guard;

/// One way to a peer: a module and its endpoint, with the limits by value so that the hot path reads one
/// place.
struct Rail {
  btl::Module* module = nullptr;
  btl::Endpoint* endpoint = nullptr;
  btl::Rdma* rdma = nullptr;  // null: cannot reach that peer's memory
  btl::Attributes limits{};
  double weight = 0;     // by bandwidth; the rails of one set add up to 1
  std::uint32_t id = 0;  // bit in RailSet::dead; a rail that is in the next set too keeps it
  const char* component = "";
  live::Rail* live = &live::nobodys_rail();  // where it is counted

  /// What became of a message of `size` bytes of data.
  void count(btl::Posted posted, std::uint64_t size) const noexcept {
    if (HAWSER_LIKELY(posted == btl::Posted::kDone || posted == btl::Posted::kPending)) {
      live->count_sent(size);
    } else if (posted == btl::Posted::kNoResource) {
      live->add(live::RailCounter::kRefused);
    }
  }
};

/// The ways to one peer from one change of its rails to the next: immutable, but for which of them are dead.
struct RailSet {
  // What a small message looks at.
  // By value, and not by way of the rail: each pointer to follow costs as much as ten instructions.
  btl::Module* direct =
      nullptr;  // the module of the one rail that carries all of them; null: it is to be chosen
  btl::Endpoint* direct_endpoint = nullptr;
  std::uint64_t eager_limit = 0;  // what each of `send` takes, since any may have to stand in; bytes of data
  const Rail* sole = nullptr;     // the one of `eager`, if it is one
  live::Rail* live = nullptr;     // of `direct`
  btl::Taker* taker = nullptr;    // of `direct`, if it has one
  Guard* guard = nullptr;  // not null: messages stay with it until acknowledged, for a rail may lose them
  mutable std::atomic<std::uint64_t> dead{0};  // rails that failed

  std::vector<Rail> eager;          // of equal, lowest latency: any of them carries a small message
  std::vector<Rail> send;           // all that carry messages, best bandwidth first
  std::vector<Rail> rdma;           // all that read and write the peer's memory, best bandwidth first
  std::uint64_t max_send_size = 0;  // what each of `send` takes as one message, bytes of data
  std::uint64_t rdma_min_size = 0;  // smallest of `rdma`, bytes

  bool alive(const Rail& rail) const noexcept {
    return (dead.load(std::memory_order_relaxed) >> rail.id & 1) == 0;
  }
  void kill(const Rail& rail) const noexcept { dead.fetch_or(1ull << rail.id, std::memory_order_relaxed); }
  bool any_alive() const noexcept {
    for (const Rail& rail : send) {
      if (alive(rail)) return true;
    }
    return false;
  }
  /// Whether a rail that has this record is alive: two endpoints of one module share one.
  bool serves(const live::Rail* record) const noexcept {
    for (const auto* rails : {&send, &rdma}) {
      for (const Rail& rail : *rails) {
        if (rail.live == record && alive(rail)) return true;
      }
    }
    return false;
  }
  /// Null: that endpoint is none of this set's.
  const Rail* find(const btl::Endpoint* endpoint) const noexcept {
    for (const auto* rails : {&send, &rdma}) {
      for (const Rail& rail : *rails) {
        if (rail.endpoint == endpoint) return &rail;
      }
    }
    return nullptr;
  }
};

/// A process that we send to. Published whole; its rails may be replaced, each time by one store.
struct Peer {
  std::uint32_t rank = 0;
  std::uint64_t incarnation = 0;              // of the process that was wired up
  std::atomic<std::uint64_t> eager_limit{0};  // of the rails as they are now
  std::atomic<std::uint32_t> next_eager{0};   // which of `eager` is next
  std::atomic<bool> stalled{false};           // listed for another try
  std::atomic<bool> failed{false};            // as a whole
  std::atomic<bool> broken{false};            // is to fail: a message was lost with a rail that is gone
  std::string first_failure;                  // of a rail, in words; the progress role's
  live::Peer* live = &live::nobodys_peer();   // where others see what waits
  /// What the rails had no room for, in order.
  peers::Gate<btl::Descriptor, LockRank::kBmlPeer> pending;

  /// Valid until the peer is destroyed, also after it was replaced: load it once for what belongs together.
  const RailSet& rails() const noexcept { return *rails_.load(std::memory_order_acquire); }
  /// The way to the peer from now on. One thread at a time.
  void publish(std::unique_ptr<const RailSet> next) {
    eager_limit.store(next->eager_limit, std::memory_order_relaxed);
    sets_.push_back(std::move(next));
    rails_.store(sets_.back().get(), std::memory_order_release);
  }

 private:
  std::atomic<const RailSet*> rails_{nullptr};
  std::vector<std::unique_ptr<const RailSet>> sets_;  // all there were: somebody may still be inside one
};

}  // namespace hawser::bml
