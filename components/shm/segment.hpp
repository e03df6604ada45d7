// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "components/shm/ring.hpp"
#include "framework/base/fd.hpp"
#include "framework/base/result.hpp"

namespace hawser::shm {

struct Blob;

inline constexpr std::uint32_t kLayoutVersion = 3;
inline constexpr std::uint64_t kSegmentMagic = 0x4d48535253574148;  // "HAWSRSHM"
inline constexpr std::uint32_t kMaxRings = 1u << 16;

// A process's segment: header, bitmap of the senders that have come, one ring per rank of the job; in sealed
// memory. Whoever uses a part first allocates it.
struct SegmentHeader {
  std::uint64_t magic;
  std::uint32_t layout_version;
  std::uint32_t rings;
  std::uint64_t incarnation;
  std::uint32_t pid;
  std::uint32_t heavy_barriers;  // 1: the owner makes everybody's stores visible before it sleeps
  RingShape shape;
  // Each on lines of its own: `armed` and `announced` are read on hot paths and seldom written.
  alignas(2 * kCacheLine)
      std::atomic<std::uint32_t> armed;  // 1: the owner sleeps, or is about to; see doorbell.hpp
  alignas(2 * kCacheLine)
      std::atomic<std::uint32_t> announced;  // senders that have come, after their bit, or given up
  alignas(2 * kCacheLine) std::atomic<std::uint32_t> goodbye;      // 1: the owner closed in good order
  alignas(2 * kCacheLine) std::atomic<std::uint64_t> attached[1];  // in truth, a bit per ring
};

constexpr std::size_t front_size(std::uint32_t rings) noexcept {
  return RingShape::up(sizeof(SegmentHeader) + ((rings + 63u) / 64u) * sizeof(std::uint64_t));
}
constexpr std::size_t ring_offset(std::uint32_t rings, RingShape shape, std::uint32_t ring) noexcept {
  return front_size(rings) + ring * shape.bytes();
}
constexpr std::size_t segment_size(std::uint32_t rings, RingShape shape) noexcept {
  return ring_offset(rings, shape, rings);
}

/// Memory mapped into this process.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping();

  static Result<Mapping> map(int fd, std::size_t offset, std::size_t size, bool populate);
  unsigned char* base() const noexcept { return static_cast<unsigned char*>(base_); }
  std::size_t size() const noexcept { return size_; }

 private:
  void* base_ = nullptr;
  std::size_t size_ = 0;
};

/// This process's own segment, into which its peers write.
class OwnSegment {
 public:
  static Result<OwnSegment> make(std::uint32_t rings, RingShape shape, std::uint64_t incarnation,
                                 bool heavy_barriers);

  int fd() const noexcept { return fd_.get(); }
  std::size_t size() const noexcept { return memory_.size(); }
  SegmentHeader& header() const noexcept { return *reinterpret_cast<SegmentHeader*>(memory_.base()); }
  RingView ring(std::uint32_t index) const noexcept;

 private:
  Fd fd_;
  Mapping memory_;
  std::uint32_t rings_ = 0;  // our own copies: what lies in the segment, others can write
  RingShape shape_{};
};

/// What we map of a peer's segment: its header, and the one ring that we fill.
class PeerSegment {
 public:
  /// Opens, checks that it is what the blob says, and maps. Errors: kPermission, kPeerGone, kOutOfMemory,
  /// kProtocol, kSystem.
  static Result<PeerSegment> open(const Blob& blob, std::uint32_t ring);

  SegmentHeader& header() const noexcept { return *reinterpret_cast<SegmentHeader*>(front_.base()); }
  RingView ring() const noexcept { return RingView::at(ring_.base(), shape_); }
  /// Makes sure that the ring's buffer has memory behind it. False: there is none.
  bool allocate_buffer() noexcept;
  /// Tells the owner that we fill ring `ring`. False: somebody does already.
  bool announce(std::uint32_t ring) noexcept;
  /// The owner reports this rank's rail as failed at its next pass.
  void tell_given_up() noexcept;

 private:
  Fd fd_;
  Mapping front_;
  Mapping ring_;
  RingShape shape_{};
  std::size_t offset_ = 0;
};

}  // namespace hawser::shm
