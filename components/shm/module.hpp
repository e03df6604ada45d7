// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "components/shm/counters.hpp"
#include "components/shm/doorbell.hpp"
#include "components/shm/endpoint.hpp"
#include "framework/base/thread_counters.hpp"
#include "framework/btl/module.hpp"

namespace hawser::shm {

/// Sends by copying into the receiver's ring; never pends. Long messages may go in one copy where permitted.
class Module final : public btl::Module, private btl::Rdma, private btl::Taker {
 public:
  void open(RingShape shape) noexcept;

  const char* name() const noexcept override { return "shm"; }
  const btl::Attributes& attributes() const noexcept override { return attributes_; }
  btl::Posted sendi(btl::Endpoint& endpoint, btl::Head head, const void* data,
                    std::size_t size) noexcept override;
  btl::Posted send(btl::Endpoint& endpoint, btl::Descriptor& descriptor) noexcept override;
  void abandon(btl::Endpoint& endpoint) noexcept override;
  btl::Rdma* rdma(btl::Endpoint& endpoint) noexcept override;
  btl::Taker* taker(btl::Endpoint&) noexcept override { return this; }
  btl::CounterView counters() const noexcept override {
    return {kCounterInfo, counters_.data(), Counters<Counter>::kSize};
  }

  /// Something is new in that peer's ring: wakes it if it sleeps. Any thread.
  void published(Endpoint& peer) noexcept {
    light_fence(peer.light);
    if (HAWSER_UNLIKELY(ring_if_set(peer.segment.header().armed, peer.doorbell.get())))
      count(Counter::kWakeupsSent);
  }
  /// From any thread.
  void count(Counter counter, std::uint64_t n = 1) noexcept { counters_.add(counter, n); }
  /// Of counters that only the progress role writes.
  void count_own(Counter counter, std::uint64_t n = 1) noexcept { counters_.add_own(counter, n); }

 private:
  Errc register_memory(btl::Endpoint& endpoint, const void* base, std::size_t size,
                       btl::RemoteKey& key) noexcept override;
  void deregister_memory(btl::Endpoint& endpoint, const btl::RemoteKey& key) noexcept override;
  btl::Posted get(btl::Endpoint& endpoint, void* local, std::uint64_t remote, const btl::RemoteKey& key,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;
  btl::Posted put(btl::Endpoint& endpoint, const void* local, std::uint64_t remote, const btl::RemoteKey& key,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;

  std::ptrdiff_t take(btl::Endpoint& endpoint, btl::Head head, void* memory, std::size_t room,
                      unsigned looks) noexcept override;

  btl::Posted tell_all(Endpoint& peer) noexcept;
  btl::Posted sendi_any(Endpoint& peer, btl::Head head, const void* data, std::size_t size) noexcept;
  btl::Posted send_pieces(Endpoint& peer, btl::Descriptor& descriptor) noexcept;
  bool buffer_ready(Endpoint& peer) noexcept HAWSER_REQUIRES(peer.mutex);
  HAWSER_INLINE btl::Posted sent(Endpoint& peer, std::size_t size) noexcept {
    counters_.add(Counter::kMessagesSent, 1, Counter::kBytesSent, size);
    return tell_all(peer);
  }
  btl::Posted refused(Endpoint& peer, Put why) noexcept;
  btl::Posted lost(Endpoint& peer) noexcept;
  btl::Posted not_copied(Endpoint& peer, Errc status) noexcept;

  btl::Attributes attributes_{};
  ThreadCounters<Counter> counters_;
};

}  // namespace hawser::shm
