// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "framework/base/cpu.hpp"

namespace hawser::shm {

// One ring carries the messages of one sender to one receiver. It lies in the receiver's segment.
//
// Owner      The receiver makes the memory (zeroed). The sender alone writes slots, buffer and `SenderLine`;
// the
//            receiver alone writes `tail`. `want_room` is set by the sender and taken down by either.
// Encoding   Positions are 64-bit counts that never wrap; a position's slot is its low bits, its lap the
// rest. The
//            first word of a slot holds lap + 1, tag, sizes and kind in one 64-bit store. Slots have fixed
//            places, so what an earlier lap left there has an earlier lap number and can never look like a
//            message.
// Ordered    sender: payload, then `word` (release)      -> receiver: `word` (acquire), then payload
//            receiver: done with payload, `tail` (release) -> sender: `tail` (acquire), then overwrites
// Failure    Only before the claim: a post looks for a slot and for room in the buffer, and only then writes.
//            Between claim and publication there is nothing that can fail, and a sender that dies there has
//            published nothing: the receiver sees an empty ring, not a half message.
// Trust      Each side copies what the other wrote, once, and checks it against limits of its own.

enum class Kind : std::uint8_t {
  kInline = 1,      // payload: header, then data
  kData = 2,        // payload: where the data lies in the buffer, then header
  kHeaderData = 3,  // payload: where header (padded) and data lie in the buffer
  kFirst = 4,       // the first piece of a longer message; payload: Beginning, then header
  kNext = 5,        // the piece that follows, with nothing between; payload: where it lies in the buffer
};

struct Slot {
  static constexpr std::size_t kPayload = 56;
  std::atomic<std::uint64_t> word;
  unsigned char payload[kPayload];
};
static_assert(sizeof(Slot) == kCacheLine);

// A plain message lies in its slot and has the PML's header: nearly every one.
inline constexpr std::size_t kPlainHeader = 16;
inline constexpr std::size_t kPlainData = Slot::kPayload - kPlainHeader;

/// What is in Slot::word.
struct Word {
  std::uint32_t lap;  // 1 for the first; low 32 bits
  std::uint8_t tag;
  std::uint8_t header_size;
  std::uint8_t data_size;  // kInline only, bytes
  Kind kind;

  constexpr std::uint64_t pack() const noexcept {
    return std::uint64_t{lap} | std::uint64_t{tag} << 32 | std::uint64_t{header_size} << 40 |
           std::uint64_t{data_size} << 48 | std::uint64_t{static_cast<std::uint8_t>(kind)} << 56;
  }
  static constexpr Word unpack(std::uint64_t w) noexcept {
    return {static_cast<std::uint32_t>(w), static_cast<std::uint8_t>(w >> 32),
            static_cast<std::uint8_t>(w >> 40), static_cast<std::uint8_t>(w >> 48),
            static_cast<Kind>(static_cast<std::uint8_t>(w >> 56))};
  }
};

/// Where bytes lie in the buffer of the ring; first in the payload of kinds kData and kHeaderData.
struct Extent {
  std::uint32_t offset;
  std::uint32_t size;  // of the data, bytes
};
/// Data up to this size the receiver fetches with the slot, from right behind the data before; of longer ones
/// the sender would be disturbed.
inline constexpr std::uint32_t kFetchedWithSlot = 128;  // bytes
inline constexpr std::size_t kHeaderInSlot = Slot::kPayload - sizeof(Extent);

/// First in the payload of kFirst. A longer header lies in the buffer (padded) before the data.
struct Beginning {
  Extent extent;
  std::uint64_t total;  // data of the whole message, bytes
};
inline constexpr std::size_t kHeaderInFirst = Slot::kPayload - sizeof(Beginning);
inline constexpr std::uint64_t kLargestMessage = std::uint64_t{4} << 20;  // of btl_shm_max_send_size

/// Who sends on a ring, and how to wake it. Written before the sender is announced, constant after.
struct SenderLine {
  std::uint64_t incarnation;
  std::uint32_t pid;
  std::int32_t doorbell;         // number of a pipe's writing end in that process
  std::uint32_t heavy_barriers;  // 1: the sender makes everybody's stores visible before it sleeps
};

struct RingControl {
  struct alignas(2 * kCacheLine) {
    std::atomic<std::uint64_t> tail;      // messages that the receiver is done with
    std::atomic<std::uint32_t> wakeable;  // 1: the receiver can ring the sender's doorbell
  } receiver;
  struct alignas(2 * kCacheLine) {
    std::atomic<std::uint32_t> want_room;  // 1: the sender sleeps until there is room
  } both;
  alignas(2 * kCacheLine) SenderLine sender;
  std::atomic<std::uint32_t> given_up;  // 1: the sender has given the way up, both ways; counted as announced
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                  std::atomic<std::uint32_t>::is_always_lock_free,
              "shared between processes");

/// Sizes of a ring; powers of two.
struct RingShape {
  std::uint32_t slots;
  std::uint32_t buffer;  // bytes

  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t up(std::size_t n) noexcept { return (n + kPage - 1) & ~(kPage - 1); }
  /// Control and slots: used by the first message.
  constexpr std::size_t front_bytes() const noexcept {
    return up(sizeof(RingControl) + slots * sizeof(Slot));
  }
  /// The whole ring; the buffer is used by the first message that does not fit into a slot.
  constexpr std::size_t bytes() const noexcept { return front_bytes() + up(buffer); }
  constexpr bool valid() const noexcept {
    const auto power = [](std::uint32_t n) { return n != 0 && (n & (n - 1)) == 0; };
    return power(slots) && power(buffer) && slots >= 2 && slots <= 65536 && buffer >= 1024 &&
           buffer <= 64u << 20;
  }
  /// Largest data of a message for which an empty ring always has room, whatever its position.
  constexpr std::size_t max_data() const noexcept { return buffer / 2 - 2 * kCacheLine; }
  /// Largest message in pieces that an empty ring has room for at once, whatever its position.
  constexpr std::uint64_t max_at_once() const noexcept {
    const std::uint64_t by_slots = std::uint64_t{slots < 4 ? 1 : slots - 3} * piece();
    return buffer / 2 < by_slots ? buffer / 2 : by_slots;
  }
  /// A message of more goes in pieces, so that the receiver copies one while the sender fills the next.
  constexpr std::size_t piece() const noexcept { return buffer / 8 < 16 * 1024 ? buffer / 8 : 16 * 1024; }
  /// How long its pieces are. Smaller ones cost more turns, larger ones leave each end waiting for the other:
  /// not so where others are under way as well.
  constexpr std::size_t piece_of(std::uint64_t total, bool one_of_many) const noexcept {
    const bool large = total >= (one_of_many ? 64UL : 256UL) * 1024 && buffer >= 256UL * 1024;
    return large ? 32UL * 1024 : piece();
  }
};

/// A ring in this process's address space.
struct RingView {
  RingControl* control = nullptr;
  Slot* slots = nullptr;
  unsigned char* buffer = nullptr;

  static RingView at(void* base, RingShape shape) noexcept {
    auto* bytes = static_cast<unsigned char*>(base);
    return {reinterpret_cast<RingControl*>(bytes), reinterpret_cast<Slot*>(bytes + sizeof(RingControl)),
            bytes + shape.front_bytes()};
  }
};

}  // namespace hawser::shm
