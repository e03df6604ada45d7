// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mpi/coll/algorithms.hpp"

namespace hawser::mpi::coll {

namespace {

constexpr std::uint64_t kSmallBytes = 16UL * 1024;  // of all blocks: up to here, fewest rounds

/// The blocks go round, one step at a time.
void by_ring(Schedule& schedule, Place place, const Blocks& all) {
  const int size = place.size;
  const int right = (place.rank + 1) % size;
  const int left = (place.rank + size - 1) % size;
  for (int i = 0; i < size - 1; ++i) {
    const int give = (place.rank - i + size) % size;
    schedule.exchange(right, all[give], left, all[(give + size - 1) % size]);
  }
}

/// Bruck: what a member has doubles each round. In scratch, packed, it starts with the member's own block.
void by_doubling(Schedule& schedule, Place place, const Blocks& all) {
  const int size = place.size;
  const std::uint64_t each = all[0].size;
  char* room = schedule.scratch(each * static_cast<std::uint64_t>(size));
  const auto run = [&](int first, int blocks) {
    return Buffer{room + static_cast<std::uint64_t>(first) * each, static_cast<std::uint64_t>(blocks) * each,
                  nullptr};
  };
  schedule.copy(all[place.rank], run(0, 1));
  for (int have = 1; have < size;) {
    const int more = std::min(have, size - have);
    schedule.exchange((place.rank + size - have) % size, run(0, more), (place.rank + have) % size,
                      run(have, more));
    have += more;
  }
  for (int i = 1; i < size; ++i) schedule.copy(run(i, 1), all[(place.rank + i) % size]);
}

}  // namespace

void allgather(Schedule& schedule, Place place, const Buffer* own, const Blocks& all) {
  if (own) schedule.copy(*own, all[place.rank]);
  if (place.size == 1) return;
  const bool equal = !all.counts;
  if (equal && all[0].size * static_cast<std::uint64_t>(place.size) <= kSmallBytes) {
    return by_doubling(schedule, place, all);
  }
  by_ring(schedule, place, all);
}

}  // namespace hawser::mpi::coll
