// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "framework/base/cpu.hpp"
#include "framework/base/fd.hpp"
#include "framework/base/result.hpp"

// The memory that the members of a communicator share on one node. Member 0 makes it, and allocates all of it
// at once.

namespace hawser::mpi::coll {

inline constexpr int kMaxTeam = 32;           // members
inline constexpr std::uint64_t kSlots = 128;  // of a member; how many operations it may be ahead of others
inline constexpr unsigned kChunks = 4;        // of a member

/// Where operation k has its slot. Not one after the other, nor at any steady distance: cores that fetch
/// ahead of a reader would take lines from their writer before they are written.
constexpr std::uint64_t slot_for(std::uint64_t operation) noexcept {
  const std::uint64_t i = operation % kSlots;
  return i * (i + 1) / 2 % kSlots;  // each once, as kSlots is a power of two
}
static_assert((kSlots & (kSlots - 1)) == 0);

/// What a member says in one operation, in one line.
struct alignas(kCacheLine) TeamSlot {
  static constexpr std::size_t kPayload = 48;
  std::atomic<std::uint64_t> operation;  // stored last: what is below is of that one
  std::uint64_t what;                    // see describe()
  alignas(16) unsigned char payload[kPayload];
};
static_assert(sizeof(TeamSlot) == kCacheLine);

/// A member's part; it alone writes to it, but for `asleep`, which whoever wakes it takes down.
struct TeamMember {
  alignas(2 * kCacheLine) std::atomic<std::uint64_t> given;  // stamp of the last chunk that it filled
  alignas(2 *
          kCacheLine) std::atomic<std::uint64_t> done;  // stamp up to which it needs nobody's data any more
  alignas(2 * kCacheLine) std::atomic<std::uint32_t> asleep;
  alignas(2 * kCacheLine) std::atomic<std::uint32_t> core;  // 1 + where it last waited; 0: not known
  alignas(2 * kCacheLine) TeamSlot slots[kSlots];
};

struct TeamHeader {
  std::uint64_t cookie;  // random: the right memory is told by it
  std::uint32_t members;
  std::uint32_t chunk;                                          // bytes
  alignas(2 * kCacheLine) std::atomic<std::uint32_t> sleepers;  // members that are asleep, or about to be
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                  std::atomic<std::uint32_t>::is_always_lock_free,
              "shared between processes");

/// The memory as this process sees it.
class TeamMemory {
 public:
  TeamMemory() = default;
  TeamMemory(TeamMemory&& other) noexcept;
  TeamMemory& operator=(TeamMemory&& other) noexcept;
  ~TeamMemory();

  /// Chunks of a size that keeps the whole in the caches, at most `chunk` bytes.
  static Result<TeamMemory> make(int members, std::uint64_t chunk);
  /// The one that process `pid` has as descriptor `number`, once it is found to be what the maker said.
  static Result<TeamMemory> open(std::uint32_t pid, std::int32_t number, std::uint64_t cookie, int members,
                                 std::uint64_t chunk);

  /// What this process has mapped of such memory, with one more for so many members.
  static std::uint64_t mapped_with(int members, std::uint64_t chunk) noexcept;
  bool mapped() const noexcept { return base_ != nullptr; }
  int fd() const noexcept { return fd_.get(); }
  void close_fd() noexcept { fd_.reset(); }
  TeamHeader& header() const noexcept { return *reinterpret_cast<TeamHeader*>(base_); }
  TeamMember& member(int i) const noexcept { return reinterpret_cast<TeamMember*>(base_ + kHeaderSize)[i]; }
  unsigned char* chunk(int member, unsigned index) const noexcept {
    return chunks_ + (static_cast<std::size_t>(member) * kChunks + index) * chunk_;
  }
  std::uint64_t chunk_size() const noexcept { return chunk_; }

 private:
  static constexpr std::size_t kHeaderSize = 4096;
  static_assert(sizeof(TeamHeader) <= kHeaderSize);
  static std::size_t front(int members) noexcept;
  static std::size_t size_for(int members, std::uint64_t chunk) noexcept;
  Result<void> map(int members, std::uint64_t chunk);

  Fd fd_;
  unsigned char* base_ = nullptr;
  unsigned char* chunks_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t chunk_ = 0;  // our own copy: what lies in the memory, others can write
};

}  // namespace hawser::mpi::coll
