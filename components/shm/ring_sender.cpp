// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/ring_sender.hpp"

// Sanitizers do not see what a string instruction writes; clang names them in its own way.
#if defined(__has_feature)
#define HAWSER_SHM_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAWSER_SHM_SANITIZED 1
#else
#define HAWSER_SHM_SANITIZED 0
#endif
#if defined(__x86_64__) && !HAWSER_SHM_SANITIZED
#define HAWSER_SHM_STRINGS 1
#include <cpuid.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "framework/base/hooks.hpp"

namespace hawser::shm {

namespace {

constexpr std::size_t round_line(std::size_t n) noexcept {
  return (n + kCacheLine - 1) & ~(kCacheLine - 1);
}
constexpr std::size_t padded(std::size_t n) noexcept {
  return (n + 15) & ~std::size_t{15};
}

// From some size on, string instructions need not fetch the lines that they overwrite, and those are with the
// receiver. memcpy uses them later.
constexpr std::size_t kLong = 2048;         // bytes
constexpr std::size_t kLongManyFar = 1024;  // the same where more follow, and the receiver is far
// Of more than that at a time they write past the caches. That is worse where the receiver shares those and
// waits: up to some size it gets its data in parts, and always in the same few places, which stay close.
constexpr std::size_t kPastCaches = 2048;
constexpr std::size_t kMostHot = 4096;
constexpr std::uint64_t kHotBytes = 16UL * 1024;  // at the front of the buffer

#ifdef HAWSER_SHM_STRINGS
const bool g_strings_are_fast = [] {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & 1u << 9) != 0;  // ERMS
}();
#endif

void gather(unsigned char* to, const iovec* data, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    copy_bytes(to, data[i].iov_base, data[i].iov_len);
    to += data[i].iov_len;
  }
}

/// The same with string instructions, each of which writes up to `part` bytes.
void gather_long(unsigned char* to, const iovec* data, std::size_t count, std::size_t part) noexcept {
#ifdef HAWSER_SHM_STRINGS
  for (; g_strings_are_fast && count != 0; ++data, --count) {
    const void* from = data->iov_base;
    for (std::size_t left = data->iov_len; left != 0;) {
      std::size_t now = std::min(left, part);
      left -= now;
      asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(now) : : "memory");
    }
  }
#else
  static_cast<void>(part);
#endif
  gather(to, data, count);
}

}  // namespace

void RingSender::open(RingView view, RingShape shape) noexcept {
  view_ = view;
  shape_ = shape;
  slot_bits_ = static_cast<std::uint32_t>(std::countr_zero(shape.slots));
}

bool RingSender::use_buffer() noexcept {
  if (!buffer_end_) buffer_end_.reset(new (std::nothrow) std::uint64_t[shape_.slots]{});
  return buffer_end_ != nullptr;
}

// A tail that runs ahead of us, or back, is nonsense of the receiver's; it counts as no news.
void RingSender::refresh_tail() noexcept {
  const bool timed = kHasTicks && (head_ ^ tail_) >= kTimedEach;
  const std::uint64_t tail =
      timed ? timed_tail() : view_.control->receiver.tail.load(std::memory_order_acquire);
  if (tail - tail_ <= head_ - tail_) tail_ = tail;
}

// What is new has come from the receiver's core.
std::uint64_t RingSender::timed_tail() noexcept {
  const std::uint64_t begin = ticks();
  const std::uint64_t tail = view_.control->receiver.tail.load(std::memory_order_acquire);
  const std::uint64_t took = ticks() - begin;
  if (tail != tail_) distance_.saw(took);
  return tail;
}

bool RingSender::has_room() const noexcept {
  const std::uint64_t news = view_.control->receiver.tail.load(std::memory_order_acquire) - tail_;
  return news != 0 && news <= head_ - tail_;  // as refresh_tail judges it
}

std::uint64_t RingSender::buffer_tail() const noexcept {
  return tail_ == 0 ? 0 : buffer_end_[(tail_ - 1) & (shape_.slots - 1)];
}

Put RingSender::put(btl::Head head, const iovec* data, std::size_t count, std::size_t size) noexcept {
  if (needs_buffer(head.size, size)) return put_buffered(head, data, count, size);
  if (!slot_free()) return Put::kNoSlot;
  unsigned char* payload = view_.slots[head_ & (shape_.slots - 1)].payload;
  copy_bytes(payload, head.bytes, head.size);
  gather(payload + head.size, data, count);
  publish(head, size, Kind::kInline);
  return Put::kDone;
}

// Whether the buffer may be filled up to there.
HAWSER_INLINE bool RingSender::has_bytes(std::uint64_t end) noexcept {
  if (HAWSER_LIKELY(end - buffer_tail() <= shape_.buffer)) return true;
  refresh_tail();
  return end - buffer_tail() <= shape_.buffer;
}

// Goes back to the front of the buffer for `need` bytes if, as far as we know, there is room.
void RingSender::reuse_hot(std::uint64_t need) noexcept {
  const std::uint64_t at = buffer_head_ & (shape_.buffer - 1);
  if (at + need <= kHotBytes) return;
  const std::uint64_t front = buffer_head_ + (shape_.buffer - at);
  if (front + need - buffer_tail() <= shape_.buffer) buffer_head_ = front;
}

bool RingSender::with_strings(btl::Head head, std::size_t size) const noexcept {
  return size >= kLong || (size >= kLongManyFar && head.may_wait && !distance_.near());
}

Put RingSender::put_buffered(btl::Head head, const iovec* data, std::size_t count,
                             std::size_t size) noexcept {
  if (!with_strings(head, size)) {
    return put_at_head<false>(head, size, [=](unsigned char* to, std::size_t) { gather(to, data, count); });
  }
  return put_at_head<true>(head, size,
                           [=](unsigned char* to, std::size_t part) { gather_long(to, data, count, part); });
}

/// The same for data in one piece.
Put RingSender::put_one_buffered(btl::Head head, const void* data, std::size_t size) noexcept {
  if (with_strings(head, size)) {
    const iovec piece{const_cast<void*>(data), size};
    return put_buffered(head, &piece, 1, size);
  }
  return put_at_head<false>(head, size, [=](unsigned char* to, std::size_t) { copy_bytes(to, data, size); });
}

/// `write` puts the data, in parts of at most so many bytes.
template <bool WithStrings, class Write>
HAWSER_INLINE Put RingSender::put_at_head(btl::Head head, std::size_t size, Write&& write) noexcept {
  if (!slot_free()) return Put::kNoSlot;
  const bool header_here = head.size <= kHeaderInSlot;
  std::uint64_t need = round_line(size + (header_here ? 0 : padded(head.size)));
  // Both buffers mostly begin with a page, and a copy is slower between the same places of two pages.
  const bool is_long = WithStrings && size >= kLong && size <= shape_.piece();
  if (is_long) need += kCacheLine;
  const bool hot = is_long && size <= kMostHot && !head.may_wait && distance_.near();
  if (hot) reuse_hot(need);
  const std::uint64_t left = shape_.buffer - (buffer_head_ & (shape_.buffer - 1));
  const std::uint64_t skip = need > left ? left : 0;  // a message lies in one piece
  const std::uint64_t end = buffer_head_ + skip + need;
  if (!has_bytes(end)) return Put::kNoBuffer;
  Slot& slot = view_.slots[head_ & (shape_.slots - 1)];
  const Extent extent{static_cast<std::uint32_t>((buffer_head_ + skip) & (shape_.buffer - 1)),
                      static_cast<std::uint32_t>(size)};
  unsigned char* to = view_.buffer + extent.offset;
  if (is_long) prefetch_for_write(&slot);  // while the data are copied
  std::memcpy(slot.payload, &extent, sizeof extent);
  copy_header(header_here ? slot.payload + sizeof extent : to, head);
  unsigned char* const at = header_here ? to : to + padded(head.size);
  write(at, hot ? kPastCaches : size);
  buffer_head_ = end;
  publish(head, 0, header_here ? Kind::kData : Kind::kHeaderData);
  if (hot) refresh_tail();  // while it travels: the next one wants to know
  fetch_data(need, head.may_wait);
  return Put::kDone;
}

// Room for one like that of `need` bytes. Behind short data the receiver itself looks, so only where more
// follow; the lines of long ones are so many that asking takes longer than it saves.
void RingSender::fetch_data(std::uint64_t need, bool more) noexcept {
  constexpr std::uint64_t kMost = 2048 + kCacheLine;
  const bool looked_at = need <= kFetchedWithSlot;
  if (need > kMost || (looked_at && !more)) return;
  if (more) fetch_slot();
  const std::uint64_t begin = buffer_head_ + (looked_at ? kAhead * need : 0);
  const std::uint64_t at = begin & (shape_.buffer - 1);
  if (begin + need - buffer_tail() > shape_.buffer || at + need > shape_.buffer) return;
  const unsigned char* const end = view_.buffer + at + need;
  for (const unsigned char* line = view_.buffer + at; line != end; line += kCacheLine)
    prefetch_for_write(line);
}

namespace {

void gather_next(unsigned char* to, Rest& rest, std::size_t size) noexcept {
  rest.size -= size;
  while (size != 0) {
    const std::size_t part = std::min(size, rest.data->iov_len - rest.offset);
    if (part != 0) std::memcpy(to, static_cast<const char*>(rest.data->iov_base) + rest.offset, part);
    to += part;
    size -= part;
    rest.offset += part;
    if (rest.offset == rest.data->iov_len) ++rest.data, rest.offset = 0;
  }
}

}  // namespace

Put RingSender::put_piece(const btl::Head* head, Rest& rest, bool one_of_many) noexcept {
  if (!slot_free()) return Put::kNoSlot;
  const bool header_here = !head || head->size <= kHeaderInFirst;
  const std::size_t before = header_here ? 0 : padded(head->size);
  if (head) piece_ = shape_.piece_of(rest.size, one_of_many);
  std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(rest.size, piece_));
  const std::uint64_t total = rest.size;
  const std::uint64_t left = shape_.buffer - (buffer_head_ & (shape_.buffer - 1));
  std::uint64_t skip = 0;
  if (before + size > left) {  // a short piece up to the end of the buffer, unless it is too short
    if (left > before + size / 4) {
      size = static_cast<std::size_t>(left) - before;
    } else {
      skip = left;
    }
  }
  const std::uint64_t end = buffer_head_ + skip + round_line(before + size);
  if (!has_bytes(end)) return Put::kNoBuffer;
  Slot& slot = view_.slots[head_ & (shape_.slots - 1)];
  const Beginning beginning{{static_cast<std::uint32_t>((buffer_head_ + skip) & (shape_.buffer - 1)),
                             static_cast<std::uint32_t>(size)},
                            total};
  unsigned char* to = view_.buffer + beginning.extent.offset;
  if (head) {
    std::memcpy(slot.payload, &beginning, sizeof beginning);
    copy_bytes(header_here ? slot.payload + sizeof beginning : to, head->bytes, head->size);
  } else {
    std::memcpy(slot.payload, &beginning.extent, sizeof beginning.extent);
  }
  gather_next(to + before, rest, size);
  buffer_head_ = end;
  publish(head ? *head : btl::Head{nullptr, 0, 0}, 0, head ? Kind::kFirst : Kind::kNext);
  return Put::kDone;
}

// Room for all of it: a piece more than it has, for what is lost at the end of the buffer.
Put RingSender::put_pieces(btl::Head head, const void* data, std::size_t size) noexcept {
  const std::size_t pieces = size / shape_.piece() + 3;
  if (head_ - tail_ + pieces > shape_.slots) refresh_tail();
  if (head_ - tail_ + pieces > shape_.slots) return Put::kNoSlot;
  if (!has_bytes(buffer_head_ + size + 2 * shape_.piece() + btl::kMaxHeader)) return Put::kNoBuffer;
  const iovec whole{const_cast<void*>(data), size};
  Rest rest{&whole, 0, size};
  for (const btl::Head* first = &head; rest.size != 0; first = nullptr) {
    const Put put = put_piece(first, rest, head.may_wait);
    if (HAWSER_UNLIKELY(put != Put::kDone)) return first ? put : Put::kBroken;
    HAWSER_HOOK("shm.piece_put");
  }
  return Put::kDone;
}

}  // namespace hawser::shm
