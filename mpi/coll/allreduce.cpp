// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "mpi/coll/algorithms.hpp"
#include "mpi/coll/combine.hpp"

namespace hawser::mpi::coll {

namespace {

constexpr std::uint64_t kLargeBytes = 32 * 1024;  // from here on, each member reduces a part

/// The largest power of two of members works; each of the others hands its data to its neighbour above, and
/// gets the result from there.
struct Core {
  explicit Core(int members) noexcept {
    while (size * 2 <= members) size *= 2;
    extra = members - size;
  }
  bool outside(int rank) const noexcept { return rank < 2 * extra && rank % 2 == 0; }
  int index(int rank) const noexcept { return rank < 2 * extra ? rank / 2 : rank - extra; }
  int rank(int index) const noexcept { return index < extra ? 2 * index + 1 : index + extra; }
  int size = 1;
  int extra = 0;
};

/// In each round, with the member a growing distance away: both get the same.
void by_doubling(Schedule& schedule, const Core& core, int index, const Op& op, Items& mine, Items& other) {
  for (int mask = 1; mask < core.size; mask *= 2) {
    const int partner = core.rank(index ^ mask);
    schedule.exchange(partner, mine.buffer(), partner, other.buffer());
    combine(schedule, op, mine, other, (index & mask) != 0);
  }
}

/// Halves the range with members at a shrinking distance until each has its part reduced, then the same way
/// back.
void by_halving(Schedule& schedule, const Core& core, int index, const Items& mine, const Items& other) {
  const auto parts = static_cast<std::uint64_t>(core.size);
  const auto bound = [&](int i) { return mine.count * static_cast<std::uint64_t>(i) / parts; };
  const auto range = [&](const Items& items, int first, int last) {
    return items.part(bound(first), bound(last) - bound(first));
  };
  int first = 0;
  int last = core.size;
  for (int mask = core.size / 2; mask > 0; mask /= 2) {
    const int partner = core.rank(index ^ mask);
    const int middle = first + mask;
    const bool upper = (index & mask) != 0;
    const int give_first = upper ? first : middle;
    const int give_last = upper ? middle : last;
    (upper ? first : last) = middle;
    schedule.exchange(partner, range(mine, give_first, give_last).buffer(), partner,
                      range(other, first, last).buffer());
    schedule.reduce(range(other, first, last), range(mine, first, last));
  }
  for (int mask = 1; mask < core.size; mask *= 2) {
    const int partner = core.rank(index ^ mask);
    const int theirs = first ^ mask;
    schedule.exchange(partner, range(mine, first, first + mask).buffer(), partner,
                      range(mine, theirs, theirs + mask).buffer());
    first = std::min(first, theirs);
  }
}

}  // namespace

void allreduce(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to) {
  schedule.copy(from, to);
  if (place.size == 1 || to.count == 0) return;
  const Core core(place.size);
  if (core.outside(place.rank)) {
    schedule.send(place.rank + 1, to.buffer());
    schedule.fence();
    schedule.receive(place.rank + 1, to.buffer());
    return;
  }
  Items mine = to;
  Items other = schedule.scratch(to.count, *to.type);
  const bool has_outsider = place.rank < 2 * core.extra;
  if (has_outsider) {
    schedule.receive(place.rank - 1, other.buffer());
    schedule.fence();
    schedule.reduce(other, mine);
  }
  const bool large = to.bytes() >= kLargeBytes && to.count >= static_cast<std::uint64_t>(core.size);
  if (large && symmetric(op) && core.size > 2) {
    by_halving(schedule, core, core.index(place.rank), mine, other);
  } else {
    by_doubling(schedule, core, core.index(place.rank), op, mine, other);
  }
  schedule.copy(mine, to);
  if (has_outsider) schedule.send(place.rank - 1, to.buffer());
}

}  // namespace hawser::mpi::coll
