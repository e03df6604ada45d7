// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>

#include "components/shm/distance.hpp"
#include "components/shm/ring.hpp"
#include "framework/base/copy.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/btl/module.hpp"

namespace hawser::shm {

/// kBroken: a part was put, and the rest cannot be: the ring is of no use any more.
enum class Put : std::uint8_t { kDone, kNoSlot, kNoBuffer, kBroken };

/// What is still to be sent of a message in pieces.
struct Rest {
  const iovec* data;
  std::size_t offset;  // in *data
  std::uint64_t size;  // bytes in all
};

/// The sending half of a ring. One thread at a time: the endpoint's lock is held around `put`.
class RingSender {
 public:
  void open(RingView view, RingShape shape) noexcept;
  /// To be called before the first message that needs the buffer. False: out of memory.
  bool use_buffer() noexcept;

  /// Puts one message, whole or not at all. `size` is the sum of `data`, at most shape.max_data().
  Put put(btl::Head head, const iovec* data, std::size_t count, std::size_t size) noexcept;
  /// The same for data in one piece; the way of small messages.
  Put put_small(btl::Head head, const void* data, std::size_t size) noexcept {
    return needs_buffer(head.size, size) ? put_one_buffered(head, data, size) : put_inline(head, data, size);
  }
  /// The same for one that fits into a slot.
  HAWSER_INLINE Put put_inline(btl::Head head, const void* data, std::size_t size) noexcept {
    if (!slot_free()) return Put::kNoSlot;
    unsigned char* payload = slot().payload;
    copy_header(payload, head);
    copy_bytes(payload + head.size, data, size);
    publish(head, size, Kind::kInline);
    return Put::kDone;
  }

  /// Whether there is a slot, as far as is known.
  bool knows_room() const noexcept { return head_ - tail_ < shape_.slots; }
  /// Puts a message of such a header and up to so many bytes where there is a slot.
  HAWSER_INLINE void put_plain(btl::Head head, const void* data, std::size_t size) noexcept {
    Slot& slot = this->slot();
    copy_two_words(slot.payload, head.bytes);
    copy_few_bytes(slot.payload + kPlainHeader, data, size);
    head.size = kPlainHeader;
    publish(slot, head, size, Kind::kInline);
  }

  std::uint64_t sent() const noexcept { return head_; }
  /// Asks for the line of the next message.
  void fetch_next() const noexcept { prefetch_for_write(&slot()); }

  /// Puts the next piece of `rest`, and takes it off. `head`: of the first one;
  /// null: the piece follows the one put before. `one_of_many`: the receiver is likely to be busy.
  Put put_piece(const btl::Head* head, Rest& rest, bool one_of_many) noexcept;
  /// Puts a message in pieces, whole or not at all, or kBroken.
  Put put_pieces(btl::Head head, const void* data, std::size_t size) noexcept;
  std::size_t piece() const noexcept { return shape_.piece(); }

  /// Whether a message of `size` would need the buffer.
  static bool needs_buffer(std::size_t header_size, std::size_t size) noexcept {
    return header_size + size > Slot::kPayload;
  }
  /// The receiver has taken something since the last refusal.
  bool has_room() const noexcept;
  RingControl& control() noexcept { return *view_.control; }
  /// To the receiver's core.
  Distance& distance() noexcept { return distance_; }

 private:
  static void copy_header(unsigned char* to, btl::Head head) noexcept {
    if (HAWSER_LIKELY(head.size == kPlainHeader)) return copy_two_words(to, head.bytes);
    copy_bytes(to, head.bytes, head.size);
  }
  Slot& slot() const noexcept { return view_.slots[head_ & (shape_.slots - 1)]; }
  bool slot_free() noexcept {
    if (HAWSER_LIKELY(head_ - tail_ < shape_.slots)) return true;
    refresh_tail();
    return head_ - tail_ < shape_.slots;
  }
  std::uint64_t buffer_tail() const noexcept;
  void refresh_tail() noexcept;
  std::uint64_t timed_tail() noexcept;
  bool has_bytes(std::uint64_t end) noexcept;
  void reuse_hot(std::uint64_t need) noexcept;
  bool with_strings(btl::Head head, std::size_t size) const noexcept;
  Put put_buffered(btl::Head head, const iovec* data, std::size_t count, std::size_t size) noexcept;
  Put put_one_buffered(btl::Head head, const void* data, std::size_t size) noexcept;
  template <bool WithStrings, class Write>
  Put put_at_head(btl::Head head, std::size_t size, Write&& write) noexcept;
  void publish(btl::Head head, std::size_t inline_size, Kind kind) noexcept {
    publish(slot(), head, inline_size, kind);
  }
  HAWSER_INLINE void publish(Slot& slot, btl::Head head, std::size_t inline_size, Kind kind) noexcept {
    const std::uint64_t at = head_;
    const Word word{static_cast<std::uint32_t>(at >> slot_bits_) + 1, head.tag,
                    static_cast<std::uint8_t>(head.size), static_cast<std::uint8_t>(inline_size), kind};
    if (buffer_end_) buffer_end_[at & (shape_.slots - 1)] = buffer_head_;
    slot.word.store(word.pack(), std::memory_order_release);
    head_ = at + 1;
    if (g_many_threads || (kind == Kind::kInline && head.may_wait)) fetch_slot();
  }

  // The lines of messages to come are asked for while this one travels. Not those that the receiver looks at
  // meanwhile: they would go to and fro.
  static constexpr std::uint64_t kAhead = 3;  // messages

  /// Where more messages follow. With many threads each of them takes a lock, which waits until all before
  /// are written.
  void fetch_slot() noexcept {
    const std::uint64_t next = head_ + kAhead;
    if (HAWSER_LIKELY(next - tail_ < shape_.slots))
      prefetch_for_write(&view_.slots[next & (shape_.slots - 1)]);
  }
  void fetch_data(std::uint64_t need, bool more) noexcept;

  /// Messages from one reading of the distance to the next; a power of two.
  static constexpr std::uint64_t kTimedEach = 512;

  RingView view_;
  RingShape shape_{};
  std::uint32_t slot_bits_ = 0;
  Distance distance_;
  std::uint64_t head_ = 0;                       // messages published
  std::uint64_t tail_ = 0;                       // what we know of the receiver's tail
  std::size_t piece_ = 0;                        // of the message in pieces that was begun last
  std::uint64_t buffer_head_ = 0;                // bytes of the buffer handed out; never wraps
  std::unique_ptr<std::uint64_t[]> buffer_end_;  // per slot: buffer_head_ after its message; once in use
};

}  // namespace hawser::shm
