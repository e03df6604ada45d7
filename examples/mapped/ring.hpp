// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "framework/btl/descriptor.hpp"

// What lies in shared memory. Each process has an inbox: a door, and one ring for each rank that may send to
// it. The other side may write anything here at any time, so whatever is read is copied first and then
// checked.
namespace btl_mapped {

namespace btl = hawser::btl;

/// Stands before each message; its header and its data follow, and the next begins at a multiple of 8.
struct Frame {
  std::uint32_t size = 0;  // of the data
  btl::Tag tag = 0;
  std::uint8_t header_size = 0;
  std::uint16_t zero = 0;

  std::size_t total() const noexcept { return sizeof(Frame) + header_size + std::size_t{size}; }
  std::size_t span() const noexcept { return (total() + 7) & ~std::size_t{7}; }
  bool is_sane(std::size_t there, std::size_t room) const noexcept {
    return header_size <= btl::kMaxHeader && zero == 0 && total() <= room && span() <= there;
  }
};

struct Door {
  static constexpr std::uint64_t kMagic = 0x314450414d575348;  // another when the meaning of any byte changes
  std::uint64_t magic = kMagic;
  std::uint64_t job = 0;
  std::uint32_t rank = 0;                   // of the owner
  std::atomic<std::uint32_t> knocks{0};     // a sender has come, or gone
  std::atomic<std::uint32_t> is_asleep{0};  // the owner: ring the bell after you put something
};

enum class Side : std::uint32_t { kAbsent, kThere, kSaidGoodbye, kBroken };

/// One writer and one reader. Positions only grow; `size` is a power of two.
struct Ring {
  alignas(64) std::atomic<std::uint64_t> head{0};  // the writer's
  std::atomic<Side> writer{Side::kAbsent};
  std::atomic<std::uint32_t> wants_room{0};        // the writer: ring my bell once you took something
  alignas(64) std::atomic<std::uint64_t> tail{0};  // the reader's
  std::atomic<Side> reader{Side::kAbsent};

  unsigned char* bytes() noexcept { return reinterpret_cast<unsigned char*>(this + 1); }
  static std::size_t footprint(std::size_t size) noexcept { return sizeof(Ring) + size; }

  void put(std::uint64_t at, const void* from, std::size_t count, std::size_t size) noexcept {
    const std::size_t begin = at & (size - 1), first = count < size - begin ? count : size - begin;
    if (first != 0) std::memcpy(bytes() + begin, from, first);
    if (count != first) std::memcpy(bytes(), static_cast<const unsigned char*>(from) + first, count - first);
  }
  void get(std::uint64_t at, void* to, std::size_t count, std::size_t size) noexcept {
    const std::size_t begin = at & (size - 1), first = count < size - begin ? count : size - begin;
    if (first != 0) std::memcpy(to, bytes() + begin, first);
    if (count != first) std::memcpy(static_cast<unsigned char*>(to) + first, bytes(), count - first);
  }
};

/// An inbox as it is mapped.
struct Inbox {
  static constexpr std::size_t kDoor = 128;
  unsigned char* memory = nullptr;
  std::size_t ring_size = 0;

  static std::size_t size_for(std::uint32_t ranks, std::size_t ring_size) noexcept {
    return kDoor + ranks * Ring::footprint(ring_size);
  }
  Door& door() const noexcept { return *reinterpret_cast<Door*>(memory); }
  Ring& ring(std::uint32_t from) const noexcept {
    return *reinterpret_cast<Ring*>(memory + kDoor + from * Ring::footprint(ring_size));
  }
};
static_assert(sizeof(Door) <= Inbox::kDoor && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace btl_mapped
