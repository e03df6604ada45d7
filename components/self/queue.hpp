// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "framework/base/spin_mutex.hpp"
#include "framework/btl/module.hpp"

namespace hawser::self {

/// Messages on their way to ourselves, oldest first: a byte ring of records. A record holds a copy of the
/// message, or the descriptor that describes it.
///
/// Any thread puts; the progress role takes. A record that was taken stays valid until `pop`, so the message
/// is delivered from where it lies, with no lock held.
class Queue {
 public:
  struct Record {
    btl::Descriptor* held;  // null: header and data follow the record
    std::uint32_t size;     // of the data, bytes
    std::uint32_t span;     // of the whole record, bytes; a multiple of kAlign
    std::uint8_t header_size;
    btl::Tag tag;
    bool filler;  // nothing but the rest of the ring before its wrap
    unsigned char* header() noexcept { return reinterpret_cast<unsigned char*>(this + 1); }
    unsigned char* data() noexcept { return header() + padded(header_size); }
  };
  static constexpr std::size_t kAlign = 64;

  /// `size` bytes of room, a power of two. False: out of memory.
  bool open(std::size_t size) noexcept;

  /// True: the message is copied. False: no room, nothing happened.
  bool put_copy(btl::Head head, const iovec* data, std::size_t count, std::size_t size, bool& wake) noexcept;
  /// True: the descriptor is ours until it is delivered.
  bool put_held(btl::Descriptor& descriptor, bool& wake) noexcept;

  /// The oldest record, or null. Progress role.
  Record* front() noexcept;
  void pop(Record& record) noexcept;

  bool empty() noexcept;
  /// True: nothing was put since it was last found empty. Progress role, which alone moves the tail: no lock.
  bool looks_empty() const noexcept HAWSER_NO_ANALYSIS {
    return published_.load(std::memory_order_relaxed) == tail_;
  }
  /// The role's holder is about to sleep: the next put says `wake`. False: there is something already.
  bool arm() noexcept;
  void disarm() noexcept;

 private:
  static constexpr std::size_t padded(std::size_t n) noexcept { return (n + 15) & ~std::size_t{15}; }
  Record* claim(std::size_t bytes) noexcept HAWSER_REQUIRES(mutex_);
  void publish(Record& record, bool& wake) noexcept HAWSER_REQUIRES(mutex_);
  Record& at(std::uint64_t position) noexcept {
    return *reinterpret_cast<Record*>(bytes_.get() + (position & (size_ - 1)));
  }

  struct Free {
    void operator()(unsigned char* bytes) const noexcept;
  };
  std::unique_ptr<unsigned char, Free> bytes_;
  std::size_t size_ = 0;
  HotMutex<LockRank::kEndpoint> mutex_;
  std::uint64_t head_ HAWSER_GUARDED_BY(mutex_) = 0;  // where the next record goes
  std::atomic<std::uint64_t> published_{0};           // head_, for a look without the lock
  std::uint64_t tail_ HAWSER_GUARDED_BY(mutex_) = 0;  // the oldest record
  bool armed_ HAWSER_GUARDED_BY(mutex_) = false;
};

}  // namespace hawser::self
