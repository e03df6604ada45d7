// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/algorithms.hpp"
#include "mpi/coll/combine.hpp"

namespace hawser::mpi::coll {

namespace {

/// With members at a growing distance. `group` is the reduction of the members it has met so far, itself
/// included; `below`, if it has met any, that of those of lower rank: `on_lower` gets each new stretch of
/// them, the highest first.
template <class OnLower>
void by_doubling(Schedule& schedule, Place place, const Op& op, Items group, Items other,
                 OnLower&& on_lower) {
  for (std::int64_t mask = 1; mask < place.size; mask *= 2) {
    const auto partner = static_cast<int>(place.rank ^ mask);
    if (partner >= place.size) continue;
    schedule.exchange(partner, group.buffer(), partner, other.buffer());
    const bool lower = partner < place.rank;
    if (lower) on_lower(other);
    combine(schedule, op, group, other, lower);
  }
}

}  // namespace

void scan(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to) {
  schedule.copy(from, to);
  if (place.size == 1) return;
  const Items group = schedule.scratch(to.count, *to.type);
  schedule.copy(to, group);
  by_doubling(schedule, place, op, group, schedule.scratch(to.count, *to.type),
              [&](const Items& lower) { schedule.reduce(lower, to); });
}

void exscan(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to) {
  if (place.size == 1) return;
  const Items group = schedule.scratch(to.count, *to.type);
  schedule.copy(from, group);
  bool any = false;
  by_doubling(schedule, place, op, group, schedule.scratch(to.count, *to.type), [&](const Items& lower) {
    if (any) return schedule.reduce(lower, to);
    schedule.copy(lower, to);
    any = true;
  });
}

}  // namespace hawser::mpi::coll
