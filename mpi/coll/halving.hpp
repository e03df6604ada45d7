// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/coll/algorithms.hpp"

namespace hawser::mpi::coll {

/// The largest power of two of members works; each of the others hands its data to its neighbour above.
struct Core {
  explicit Core(int members) noexcept {
    while (size * 2 <= members) size *= 2;
    extra = members - size;
  }
  bool outside(int rank) const noexcept { return rank < 2 * extra && rank % 2 == 0; }
  bool has_outsider(int rank) const noexcept { return rank < 2 * extra && rank % 2 != 0; }
  int index(int rank) const noexcept { return rank < 2 * extra ? rank / 2 : rank - extra; }
  int rank(int index) const noexcept { return index < extra ? 2 * index + 1 : index + extra; }
  /// Each member of the core has a part of the items.
  Items parts(const Items& items, int first, int last) const noexcept;
  int size = 1;
  int extra = 0;
};

/// Whether halving pays, and keeps the result the same.
bool use_halving(const Core& core, const Op& op, const Items& items) noexcept;
/// Halves the range with members at a shrinking distance, until this member's part of `mine` is reduced over
/// all.
void reduce_by_halving(Schedule& schedule, const Core& core, int index, const Items& mine,
                       const Items& other);

}  // namespace hawser::mpi::coll
