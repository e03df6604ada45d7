// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/combine.hpp"
#include "mpi/coll/halving.hpp"

namespace hawser::mpi::coll {

namespace {

/// Each member takes in those above it, a growing distance away, then gives all to the one below. The tree's
/// root is the root, unless the order of members counts: then it is member 0, which passes the result on.
void by_tree(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to, int root) {
  const int top = op.commutative ? root : 0;
  const bool is_root = place.rank == root;
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

/// Each member of the core reduces its part and gives it to the root.
void by_halving(Schedule& schedule, Place place, const Core& core, const Items& from, const Items& to,
                int root) {
  const bool is_root = place.rank == root;
  if (core.outside(place.rank)) {
    schedule.send(place.rank + 1, from.buffer());
    schedule.fence();
  } else {
    const Items mine = is_root ? to : schedule.scratch(from.count, *from.type);
    const Items other = schedule.scratch(from.count, *from.type);
    schedule.copy(from, mine);
    if (core.has_outsider(place.rank)) {
      schedule.receive(place.rank - 1, other.buffer());
      schedule.fence();
      schedule.reduce(other, mine);
    }
    const int index = core.index(place.rank);
    reduce_by_halving(schedule, core, index, mine, other);
    if (!is_root) schedule.send(root, core.parts(mine, index, index + 1).buffer());
  }
  for (int i = 0; i < core.size && is_root; ++i) {
    if (core.rank(i) != root) schedule.receive(core.rank(i), core.parts(to, i, i + 1).buffer());
  }
}

}  // namespace

void reduce(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to, int root) {
  if (place.size == 1) return schedule.copy(from, to);
  const Core core(place.size);
  if (use_halving(core, op, from)) return by_halving(schedule, place, core, from, to, root);
  by_tree(schedule, place, op, from, to, root);
}

}  // namespace hawser::mpi::coll
