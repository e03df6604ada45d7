// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mpi/coll/combine.hpp"
#include "mpi/coll/halving.hpp"

namespace hawser::mpi::coll {

namespace {

/// In each round, with the member a growing distance away: both get the same.
void by_doubling(Schedule& schedule, const Core& core, int index, const Op& op, Items& mine, Items& other) {
  for (int mask = 1; mask < core.size; mask *= 2) {
    const int partner = core.rank(index ^ mask);
    schedule.exchange(partner, mine.buffer(), partner, other.buffer());
    combine(schedule, op, mine, other, (index & mask) != 0);
  }
}

/// Each has its part reduced; the parts then go to all, growing, the same way back.
void by_halving(Schedule& schedule, const Core& core, int index, const Items& mine, const Items& other) {
  reduce_by_halving(schedule, core, index, mine, other);
  int first = index;
  for (int mask = 1; mask < core.size; mask *= 2) {
    const int partner = core.rank(index ^ mask);
    const int theirs = first ^ mask;
    schedule.exchange(partner, core.parts(mine, first, first + mask).buffer(), partner,
                      core.parts(mine, theirs, theirs + mask).buffer());
    first = std::min(first, theirs);
  }
}

}  // namespace

void allreduce(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to) {
  schedule.copy(from, to);
  if (place.size == 1) return;
  const Core core(place.size);
  if (core.outside(place.rank)) {
    schedule.send(place.rank + 1, to.buffer());
    schedule.fence();
    schedule.receive(place.rank + 1, to.buffer());
    return;
  }
  Items mine = to;
  Items other = schedule.scratch(to.count, *to.type);
  if (core.has_outsider(place.rank)) {
    schedule.receive(place.rank - 1, other.buffer());
    schedule.fence();
    schedule.reduce(other, mine);
  }
  const int index = core.index(place.rank);
  if (use_halving(core, op, to)) {
    by_halving(schedule, core, index, mine, other);
  } else {
    by_doubling(schedule, core, index, op, mine, other);
  }
  schedule.copy(mine, to);
  if (core.has_outsider(place.rank)) schedule.send(place.rank - 1, to.buffer());
}

}  // namespace hawser::mpi::coll
