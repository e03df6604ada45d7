// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/self/queue.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "framework/btl/outgoing.hpp"

namespace hawser::self {

static_assert(sizeof(Queue::Record) <= Queue::kAlign && sizeof(Queue::Record) % 8 == 0,
              "a filler fits into the smallest rest, and headers are aligned");

void Queue::Free::operator()(unsigned char* bytes) const noexcept {
  std::free(bytes);
}

bool Queue::open(std::size_t size) noexcept {
  bytes_.reset(static_cast<unsigned char*>(std::aligned_alloc(4096, size)));
  size_ = size;
  return bytes_ != nullptr;
}

// Nothing can fail between this and publish: a claim that is not published never happened.
Queue::Record* Queue::claim(std::size_t bytes) noexcept {
  const std::uint64_t span = (bytes + kAlign - 1) & ~std::uint64_t{kAlign - 1};
  const std::uint64_t left = size_ - (head_ & (size_ - 1));
  const std::uint64_t skip = span > left ? left : 0;
  if (head_ + skip + span - tail_ > size_) return nullptr;
  if (skip != 0) {
    ::new (&at(head_)) Record{nullptr, 0, static_cast<std::uint32_t>(skip), 0, 0, true};
    head_ += skip;
  }
  return ::new (&at(head_)) Record{nullptr, 0, static_cast<std::uint32_t>(span), 0, 0, false};
}

void Queue::publish(Record& record, bool& wake) noexcept {
  head_ += record.span;
  published_.store(head_, std::memory_order_relaxed);
  wake = armed_;
  armed_ = false;
}

bool Queue::put_copy(btl::Head head, const iovec* data, std::size_t count, std::size_t size,
                     bool& wake) noexcept {
  HotLock lock(mutex_);
  Record* record = claim(sizeof(Record) + padded(head.size) + size);
  if (!record) return false;
  record->size = static_cast<std::uint32_t>(size);
  record->header_size = static_cast<std::uint8_t>(head.size);
  record->tag = head.tag;
  std::memcpy(record->header(), head.bytes, head.size);
  btl::gather(data, count, record->data());
  publish(*record, wake);
  return true;
}

bool Queue::put_held(btl::Descriptor& descriptor, bool& wake) noexcept {
  HotLock lock(mutex_);
  Record* record = claim(sizeof(Record));
  if (!record) return false;
  record->held = &descriptor;
  publish(*record, wake);
  return true;
}

Queue::Record* Queue::front() noexcept {
  HotLock lock(mutex_);
  while (tail_ != head_) {
    Record& record = at(tail_);
    if (!record.filler) return &record;
    tail_ += record.span;
  }
  return nullptr;
}

void Queue::pop(Record& record) noexcept {
  HotLock lock(mutex_);
  tail_ += record.span;
}

bool Queue::empty() noexcept {
  return front() == nullptr;
}

bool Queue::arm() noexcept {
  HotLock lock(mutex_);
  armed_ = true;
  return head_ == tail_;
}

void Queue::disarm() noexcept {
  HotLock lock(mutex_);
  armed_ = false;
}

}  // namespace hawser::self
