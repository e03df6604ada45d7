// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>

#include "components/shm/ring.hpp"
#include "framework/btl/module.hpp"

namespace hawser::shm {

enum class Put : std::uint8_t { kDone, kNoSlot, kNoBuffer };

/// The sending half of a ring. One thread at a time: the endpoint's lock is held around `put`.
class RingSender {
 public:
  /// False: out of memory.
  bool open(RingView view, RingShape shape) noexcept;

  /// Puts one message, whole or not at all. `size` is the sum of `data`, at most shape.max_data().
  Put put(btl::Head head, const iovec* data, std::size_t count, std::size_t size) noexcept;
  /// The same for data in one piece; the way of small messages.
  Put put_small(btl::Head head, const void* data, std::size_t size) noexcept;

  /// Whether a message of `size` would need the buffer.
  static bool needs_buffer(std::size_t header_size, std::size_t size) noexcept {
    return header_size + size > Slot::kPayload;
  }
  /// The receiver has taken something since the last refusal.
  bool has_room() const noexcept;
  RingControl& control() noexcept { return *view_.control; }

 private:
  bool slot_free() noexcept;
  std::uint64_t buffer_tail() const noexcept;
  void refresh_tail() noexcept;
  Put put_buffered(btl::Head head, const iovec* data, std::size_t count, std::size_t size) noexcept;
  void publish(btl::Head head, std::size_t inline_size, Kind kind) noexcept;

  RingView view_;
  RingShape shape_{};
  std::uint32_t slot_bits_ = 0;
  std::uint64_t head_ = 0;                       // messages published
  std::uint64_t tail_ = 0;                       // what we know of the receiver's tail
  std::uint64_t buffer_head_ = 0;                // bytes of the buffer handed out; never wraps
  std::unique_ptr<std::uint64_t[]> buffer_end_;  // per slot: buffer_head_ after its message
};

}  // namespace hawser::shm
