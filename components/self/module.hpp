// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "components/self/counters.hpp"
#include "components/self/queue.hpp"
#include "framework/base/counters.hpp"
#include "framework/btl/host.hpp"
#include "framework/btl/module.hpp"

namespace hawser::self {

/// Carries messages of a rank to itself. Small ones are copied into the queue; long ones are delivered
/// straight from the sender's buffer, and then complete. Nothing is delivered inside a post.
class Module final : public btl::Module, private btl::Rdma {
 public:
  Errc open(btl::Host& host) noexcept;

  const char* name() const noexcept override { return "self"; }
  const btl::Attributes& attributes() const noexcept override { return attributes_; }
  btl::Posted sendi(btl::Endpoint& endpoint, btl::Head head, const void* data,
                    std::size_t size) noexcept override;
  btl::Posted send(btl::Endpoint& endpoint, btl::Descriptor& descriptor) noexcept override;
  void abandon(btl::Endpoint&) noexcept override;
  btl::Rdma* rdma(btl::Endpoint&) noexcept override { return this; }
  btl::CounterView counters() const noexcept override {
    return {kCounterInfo, counters_.data(), Counters<Counter>::kSize};
  }

  /// Delivers what waits, up to a limit. Progress role.
  int progress() noexcept;
  bool arm() noexcept { return queue_.arm(); }
  void disarm() noexcept { queue_.disarm(); }
  bool flushed() noexcept { return queue_.empty(); }
  /// The next pass of progress drops what waits; from any thread.
  void release() noexcept { released_.store(true, std::memory_order_relaxed); }
  /// The way is used, for the first time or again.
  void renew() noexcept;
  /// Completes what is held with `status` and drops the rest. Progress role, or at the end. How many.
  int drop_all(Errc status) noexcept;

 private:
  Errc register_memory(btl::Endpoint& endpoint, const void* base, std::size_t size,
                       btl::RemoteKey& key) noexcept override;
  void deregister_memory(btl::Endpoint& endpoint, const btl::RemoteKey& key) noexcept override;
  btl::Posted get(btl::Endpoint& endpoint, void* local, std::uint64_t remote, const btl::RemoteKey& key,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;
  btl::Posted put(btl::Endpoint& endpoint, const void* local, std::uint64_t remote, const btl::RemoteKey& key,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;

  btl::Posted taken(std::size_t size, bool wake, btl::Posted answer) noexcept;
  btl::Posted refused() noexcept;
  void deliver_copy(Queue::Record& record) noexcept;
  void deliver_held(Queue::Record& record) noexcept;
  void hand_up(const btl::Message& message) noexcept;
  void count(Counter counter, std::uint64_t n = 1) noexcept;

  btl::Host* host_ = nullptr;
  btl::Attributes attributes_{};
  Queue queue_;
  std::unique_ptr<unsigned char[]> gathered_;  // a held message of several pieces, while it is delivered
  std::atomic<bool> released_{false};
  std::atomic<bool> abandoned_{false};
  Counters<Counter> counters_;
};

}  // namespace hawser::self
