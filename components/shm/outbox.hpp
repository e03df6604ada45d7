// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "components/shm/ring_sender.hpp"
#include "framework/base/list.hpp"

namespace hawser::shm {

/// Messages that the ring had no room for yet, in order; of the first, some pieces may have gone. While there
/// is one, every other post queues up behind it or is refused. The endpoint's lock is held around each call.
class Outbox {
 public:
  bool empty() const noexcept { return waiting_.empty(); }
  /// Whether another message may wait: enough to keep the ring full, little that small ones have to wait for.
  bool takes(std::uint64_t size) const noexcept { return empty() || bytes_ + size <= kMostWaiting; }
  void push(btl::Descriptor& message) noexcept;
  /// Puts what there is room for. Messages that are in the ring whole go to `done`. How many puts.
  int pump(RingSender& ring, Fifo<btl::Descriptor>& done) noexcept;
  Fifo<btl::Descriptor> take_all() noexcept;

 private:
  static constexpr std::uint64_t kMostWaiting = 512UL * 1024;  // bytes

  Put put_front(RingSender& ring) noexcept;

  Fifo<btl::Descriptor> waiting_;
  std::uint64_t bytes_ = 0;  // of all that wait
  bool begun_ = false;       // pieces of the first have gone
  Rest rest_{};              // and this is left of it
};

}  // namespace hawser::shm
