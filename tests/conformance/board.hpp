// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hawser::conformance {

inline constexpr std::uint32_t kMaxRanks = 4;

/// What the ranks of a test share: the blobs of a modex, a barrier, flags. Lies in shared anonymous memory
/// that is made before the ranks are forked.
struct Board {
  struct Entry {
    char key[48];
    std::uint32_t size;
    unsigned char data[16384];
  };
  struct Shelf {
    std::atomic<std::uint32_t> committed;  // 1: `count` entries are there, and no more will come
    std::uint32_t count;
    std::uint32_t pid;
    Entry entries[4];
  };
  Shelf shelves[kMaxRanks];
  std::atomic<std::uint32_t> arrived;    // at barriers, all ranks together
  std::atomic<std::uint64_t> flags[16];  // each test's own
};

/// A zeroed board, shared with children; lives to the end of the process.
Board& make_board();

}  // namespace hawser::conformance
