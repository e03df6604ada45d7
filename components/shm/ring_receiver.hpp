// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "components/shm/ring.hpp"
#include "framework/btl/message.hpp"
#include "framework/btl/module.hpp"

namespace hawser::shm {

/// The receiving half of a ring. Progress role only.
class RingReceiver {
 public:
  enum class Look : std::uint8_t { kEmpty, kMessage, kFirst, kNext, kBroken };

  void open(RingView view, RingShape shape) noexcept {
    view_ = view;
    shape_ = shape;
    next_data_ = view.slots->payload;
    slot_bits_ = static_cast<std::uint32_t>(std::countr_zero(shape.slots));
    end_ = view.slots + shape.slots;
    find_slot();
    tell_after_ = shape.slots < 8 ? 1 : shape.slots / 4;
    tell_at_ = head_ + tell_after_;
  }

  /// A message waits: nothing else is looked at.
  bool ready() const noexcept {
    // What hardly does not fit into the slot lies behind what came before. Fetched with the slot, it comes at
    // the same time; later it would be another way from core to core.
    __builtin_prefetch(next_data_);
    return static_cast<std::uint32_t>(next_->word.load(std::memory_order_acquire)) == lap_;
  }
  /// The message that waits lies in its slot.
  bool ready_in_slot() const noexcept {
    return Word::unpack(next_->word.load(std::memory_order_relaxed)).kind == Kind::kInline;
  }
  /// Something was taken that the sender has not been told of.
  bool owes() const noexcept { return told_ != head_; }
  /// Part of that is room in the buffer.
  bool owes_bytes() const noexcept { return bytes_ != 0; }

  /// The next message, valid until `advance`. kFirst and kNext: the data are a piece of one that is longer;
  /// of the first, `total` is its length. kBroken: the sender wrote what cannot be.
  Look look(btl::Message& message) noexcept {
    const Slot& next = *next_;
    const std::uint64_t w = next.word.load(std::memory_order_acquire);
    if (static_cast<std::uint32_t>(w) != lap_) return Look::kEmpty;
    const Word word = Word::unpack(w);
    if (HAWSER_UNLIKELY(word.kind >= Kind::kFirst)) return read_piece(word, next.payload, message);
    return read(word, next.payload, message) ? Look::kMessage : Look::kBroken;
  }
  std::uint64_t total() const noexcept { return total_; }

  /// Bytes that wait in a slot or in the buffer.
  struct Data {
    const void* bytes = nullptr;
    std::size_t size = 0;
  };
  /// Looks up to `looks` times, with so many pauses between, whether a message waits. True: it has the header
  /// of `head`, of kPlainHeader bytes, and at most `room` bytes of data, in one piece: `data`, valid until
  /// `advance`.
  HAWSER_INLINE bool finds(btl::Head head, std::size_t room, unsigned looks, unsigned pauses,
                           Data& data) noexcept {
    const Slot& next = *next_;
    const std::uint32_t lap = lap_;
    std::uint64_t w = 0;
    std::uint64_t plain = Word{lap, head.tag, kPlainHeader, 0, Kind::kInline}.pack();
    std::size_t most = std::min(kPlainData, room);
    asm("" : "+r"(plain), "+r"(most));  // else made when the message is there already
    for (;;) {
      __builtin_prefetch(next_data_);  // see ready()
      w = next.word.load(std::memory_order_acquire);
      if (static_cast<std::uint32_t>(w) == lap || --looks == 0) break;
      for (unsigned i = 0; i < pauses; ++i) cpu_relax();
    }
    Word word = Word::unpack(w);
    data = {next.payload + kPlainHeader, std::exchange(word.data_size, std::uint8_t{0})};
    if (HAWSER_LIKELY(word.pack() == plain)) return data.size <= most && same_header(next.payload, head);
    const Word in_buffer{lap, head.tag, kPlainHeader, 0, Kind::kData};
    return word.pack() == in_buffer.pack() && finds_in_buffer(next.payload, head, room, data);
  }

  /// Done with that message. Tells the sender only now and then, so that the line stays with one core.
  void advance() noexcept {
    ++head_;
    if (HAWSER_UNLIKELY(++next_ == end_)) find_slot();
    if (head_ == tell_at_) tell();
  }
  /// Tells the sender about all that was taken. True: that was news.
  bool tell() noexcept {
    if (told_ == head_) return false;
    told_ = head_;
    tell_at_ = head_ + tell_after_;
    bytes_ = 0;
    view_.control->receiver.tail.store(head_, std::memory_order_release);
    news_ = true;
    return true;
  }
  /// Whether the sender was told of room since the last call.
  bool take_news() noexcept { return std::exchange(news_, false); }
  /// Nothing more is taken: from now on it looks empty, for it waits for a lap that does not come.
  void shut() noexcept {
    told_ = head_ += std::uint64_t{shape_.slots} << 31;
    find_slot();
    bytes_ = 0;
  }
  RingControl& control() noexcept { return *view_.control; }

 private:
  void find_slot() noexcept {
    next_ = view_.slots + (head_ & (shape_.slots - 1));
    lap_ = static_cast<std::uint32_t>(head_ >> slot_bits_) + 1;
  }

  bool read(Word word, const unsigned char* payload, btl::Message& message) noexcept {
    message.tag = word.tag;
    message.header_size = word.header_size;
    message.placed = nullptr;
    if (word.kind == Kind::kInline) {
      if (std::size_t{word.header_size} + word.data_size > Slot::kPayload) return false;
      message.header = payload;
      message.data = payload + word.header_size;
      message.size = word.data_size;
      return true;
    }
    Extent extent;  // copied before it is checked: the sender could change it
    std::memcpy(&extent, payload, sizeof extent);
    std::uint64_t data = extent.offset;
    if (word.kind == Kind::kData) {
      if (word.header_size > kHeaderInSlot) return false;
      message.header = payload + sizeof extent;
    } else {
      if (word.kind != Kind::kHeaderData || word.header_size > btl::kMaxHeader || extent.offset % 8 != 0)
        return false;
      data += header_bytes(word);
      message.header = view_.buffer + (extent.offset & (shape_.buffer - 1));
    }
    return read_data(data, extent.size, message);
  }

  static bool same_header(const unsigned char* theirs, btl::Head head) noexcept {
    std::uint64_t their[2], our[2];
    std::memcpy(their, theirs, sizeof their);
    std::memcpy(our, head.bytes, sizeof our);
    return ((their[0] ^ our[0]) | (their[1] ^ our[1])) == 0;
  }
  bool finds_in_buffer(const unsigned char* payload, btl::Head head, std::size_t room, Data& data) noexcept {
    Extent extent;  // copied before it is checked: the sender could change it
    std::memcpy(&extent, payload, sizeof extent);
    const bool is_it = extent.size <= room && holds(extent.offset, extent.size) &&
                       same_header(payload + sizeof extent, head);
    if (!is_it) return false;
    data = {view_.buffer + extent.offset, extent.size};
    takes(extent.offset, extent.size);
    return true;
  }

  // Of a header that lies in the buffer: room to be given back, as that of the data.
  std::uint64_t header_bytes(Word word) noexcept {
    const std::uint64_t size = (word.header_size + 15u) & ~15u;
    bytes_ += size;
    return size;
  }

  bool holds(std::uint64_t offset, std::uint32_t size) const noexcept {
    return offset + size <= shape_.buffer;
  }
  bool read_data(std::uint64_t offset, std::uint32_t size, btl::Message& message) noexcept {
    if (!holds(offset, size)) return false;
    message.data = view_.buffer + offset;
    message.size = size;
    takes(offset, size);
    return true;
  }
  // Of data that are about to be done with.
  void takes(std::uint64_t offset, std::uint32_t size) noexcept {
    bytes_ += size;
    if (size <= kFetchedWithSlot) {
      next_data_ = view_.buffer + ((offset + size + kCacheLine - 1) & (shape_.buffer - kCacheLine));
    }
    if (bytes_ >= shape_.buffer / 4) tell_at_ = head_ + 1;  // with this one
  }

  Look read_piece(Word word, const unsigned char* payload, btl::Message& message) noexcept {
    Beginning beginning;  // copied before it is checked: the sender could change it
    std::memcpy(&beginning, payload, sizeof beginning);
    std::uint64_t data = beginning.extent.offset;
    message.tag = word.tag;
    message.header_size = word.header_size;
    message.header = payload + sizeof beginning;
    message.placed = nullptr;
    if (word.kind == Kind::kNext) {
      return read_data(data, beginning.extent.size, message) ? Look::kNext : Look::kBroken;
    }
    if (word.kind != Kind::kFirst || word.header_size > btl::kMaxHeader || data % 8 != 0)
      return Look::kBroken;
    if (word.header_size > kHeaderInFirst) {
      message.header = view_.buffer + (data & (shape_.buffer - 1));
      data += header_bytes(word);
    }
    total_ = beginning.total;
    return read_data(data, beginning.extent.size, message) ? Look::kFirst : Look::kBroken;
  }

  RingView view_;
  RingShape shape_{};
  std::uint32_t slot_bits_ = 0;
  std::uint32_t lap_ = 1;       // that the word of the next message names
  const Slot* next_ = nullptr;  // where it comes
  const Slot* end_ = nullptr;   // of the slots
  bool news_ = false;
  std::uint64_t head_ = 0;                    // messages taken
  std::uint64_t told_ = 0;                    // what the sender knows of it
  std::uint64_t bytes_ = 0;                   // of the buffer, since then
  const unsigned char* next_data_ = nullptr;  // where the data of the next message may begin
  std::uint64_t tell_at_ = 0;                 // it is told when so many were taken
  std::uint32_t tell_after_ = 1;
  std::uint64_t total_ = 0;  // of the message whose first piece was looked at
};

}  // namespace hawser::shm
