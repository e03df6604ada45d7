// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/algorithms.hpp"
#include "mpi/coll/combine.hpp"

namespace hawser::mpi::coll {

/// Along a tree: each member takes in those above it, a growing distance away, then gives all to the one
/// below. It is rooted at the root, unless the order of members counts: then at member 0, which passes the
/// result on.
void reduce(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to, int root) {
  const int top = op.commutative ? root : 0;
  const bool is_root = place.rank == root;
  if (from.count == 0) return;
  if (place.size == 1) return schedule.copy(from, to);
  const std::int64_t size = place.size;
  const std::int64_t me = (place.rank - top + size) % size;
  const auto real = [&](std::int64_t rank) { return static_cast<int>((rank + top) % size); };
  Items mine = from;
  Items other{};
  bool own_copy = false;  // what the member gives is not to be changed
  std::int64_t mask = 1;
  for (; mask < size && (me & mask) == 0; mask *= 2) {
    if (me + mask >= size) continue;
    if (!own_copy) {
      mine = is_root ? to : schedule.scratch(from.count, *from.type);
      other = schedule.scratch(from.count, *from.type);
      schedule.copy(from, mine);
      own_copy = true;
    }
    schedule.receive(real(me + mask), other.buffer());
    schedule.fence();
    combine(schedule, op, mine, other, false);
  }
  if (me != 0) {
    schedule.send(real(me - mask), mine.buffer());
  } else if (!is_root) {
    schedule.send(root, mine.buffer());
  } else {
    schedule.copy(mine, to);
  }
  if (is_root && me != 0) {
    schedule.fence();
    schedule.receive(top, to.buffer());
  }
}

}  // namespace hawser::mpi::coll
