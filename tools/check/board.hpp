// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hawser::check {

inline constexpr std::uint32_t kMaxRanks = 4;
inline constexpr std::uint32_t kStrangersShelf = kMaxRanks - 1;  // no rank is there meanwhile

/// What the ranks of one check share: the blobs of a modex, a barrier, flags, and what they found wrong. Lies
/// in shared anonymous memory that is made before the ranks are forked.
struct Board {
  struct Entry {
    char key[96];
    std::uint32_t size;
    unsigned char data[16384];
  };
  struct Shelf {
    std::atomic<std::uint32_t> committed;  // 1: `count` entries are there, and no more will come
    std::uint32_t count;
    std::uint32_t pid;
    Entry entries[4];
  };
  static constexpr std::uint32_t kTexts = 8;
  static constexpr std::size_t kTextSize = 512;

  Shelf shelves[kMaxRanks];
  std::atomic<std::uint32_t> arrived;    // at barriers, all ranks together
  std::atomic<std::uint64_t> flags[16];  // each check's own
  std::atomic<std::uint64_t> moves;      // messages taken, completed and delivered, by all ranks
  unsigned char lent[64];                // from a rank to another, between two barriers

  std::atomic<std::uint32_t> failures;
  char texts[kTexts][kTextSize];     // of the first failures
  char skipped[kTextSize];           // why the check does not apply; "" if it does
  int dies;                          // the rank that ends by SIGKILL, as the check wants; or -1
  char lost[kMaxRanks][kTextSize];   // of each rank, the first rail that it lost, and nobody wanted that
  std::uint32_t lost_to[kMaxRanks];  // the rank that it led to
  std::atomic<bool> over;            // a rank ended in a way that nobody need wait for the others
};

/// A zeroed board, shared with children. The caller gives it back.
Board& make_board();
void free_board(Board& board) noexcept;

}  // namespace hawser::check
