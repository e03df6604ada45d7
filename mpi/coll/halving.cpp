// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/halving.hpp"

namespace hawser::mpi::coll {

namespace {

constexpr std::uint64_t kLargeBytes = 32UL * 1024;

}  // namespace

Items Core::parts(const Items& items, int first, int last) const noexcept {
  const auto bound = [&](int i) {
    return items.count * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(size);
  };
  return items.part(bound(first), bound(last) - bound(first));
}

bool use_halving(const Core& core, const Op& op, const Items& items) noexcept {
  return core.size > 2 && symmetric(op) && items.bytes() >= kLargeBytes &&
         items.count >= static_cast<std::uint64_t>(core.size);
}

void reduce_by_halving(Schedule& schedule, const Core& core, int index, const Items& mine,
                       const Items& other) {
  int first = 0;
  int last = core.size;
  for (int mask = core.size / 2; mask > 0; mask /= 2) {
    const int partner = core.rank(index ^ mask);
    const int middle = first + mask;
    const bool upper = (index & mask) != 0;
    const Items given = upper ? core.parts(mine, first, middle) : core.parts(mine, middle, last);
    (upper ? first : last) = middle;
    const Items got = core.parts(other, first, last);
    schedule.exchange(partner, given.buffer(), partner, got.buffer());
    schedule.reduce(got, core.parts(mine, first, last));
  }
}

}  // namespace hawser::mpi::coll
