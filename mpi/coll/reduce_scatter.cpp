// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/algorithms.hpp"
#include "mpi/coll/combine.hpp"

namespace hawser::mpi::coll {

/// Each gives every other its part; the owner reduces in order of rank.
void reduce_scatter(Schedule& schedule, Place place, const Op&, const Items& from, const int* counts,
                    const Items& to) {
  const int size = place.size;
  const auto count_of = [&](int i) { return counts ? static_cast<std::uint64_t>(counts[i]) : to.count; };
  std::uint64_t first = 0;  // of a member's part, in items
  for (int i = 0; i < place.rank; ++i) first += count_of(i);
  const Items own = from.part(first, count_of(place.rank));
  const std::uint64_t room_of_one = own.count == 0 ? 0 : static_cast<std::uint64_t>(size - 1) * own.count;
  const Items room = schedule.scratch(room_of_one, *from.type);
  const auto slot = [&](int i) {
    const int index = i < place.rank ? i : i - 1;
    return room.part(static_cast<std::uint64_t>(index) * own.count, own.count);
  };
  for (int i = 1; i < size && own.count != 0; ++i) {
    const int peer = (place.rank + size - i) % size;
    schedule.receive(peer, slot(peer).buffer());
  }
  for (int i = 1; i < size; ++i) {
    const int peer = (place.rank + i) % size;
    first = peer == 0 ? 0 : first + count_of(peer - 1);
    const Items theirs = from.part(first, count_of(peer));
    if (theirs.count != 0) schedule.send(peer, theirs.buffer());
  }
  schedule.fence();
  if (own.count == 0) return;
  const auto operand = [&](int i) { return i == place.rank ? own : slot(i); };
  Items result = schedule.scratch(own.count, *from.type);
  schedule.copy(operand(size - 1), result);
  for (int i = size - 2; i >= 0; --i) schedule.reduce(operand(i), result);
  schedule.copy(result, to);
}

}  // namespace hawser::mpi::coll
