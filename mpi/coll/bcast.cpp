// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mpi/coll/algorithms.hpp"

namespace hawser::mpi::coll {

namespace {

constexpr std::uint64_t kLargeBytes = 128UL * 1024;  // from here on, scatter and gather
constexpr int kManyMembers = 4;

/// Each member that has it gives it to the one half of the remaining distance away.
void by_tree(Schedule& schedule, Place place, const Buffer& buffer, int root) {
  const std::int64_t size = place.size;
  const std::int64_t me = (place.rank - root + size) % size;
  const auto real = [&](std::int64_t rank) { return static_cast<int>((rank + root) % size); };
  std::int64_t mask = 1;
  for (; mask < size; mask *= 2) {
    if ((me & mask) == 0) continue;
    schedule.receive(real(me - mask), buffer);
    schedule.fence();
    break;
  }
  for (mask /= 2; mask > 0; mask /= 2) {
    if (me + mask < size) schedule.send(real(me + mask), buffer);
  }
}

/// The root gives every member one slice; then the slices go round.
void by_slices(Schedule& schedule, Place place, const Buffer& buffer, int root) {
  const std::int64_t size = place.size;
  const std::int64_t me = (place.rank - root + size) % size;
  const auto real = [&](std::int64_t rank) { return static_cast<int>((rank + root + size) % size); };
  Buffer whole = buffer;
  if (buffer.layout) {
    whole = {schedule.scratch(buffer.size), buffer.size, nullptr};
    if (me == 0) schedule.copy(buffer, whole);
  }
  const std::uint64_t length =
      (buffer.size + static_cast<std::uint64_t>(size) - 1) / static_cast<std::uint64_t>(size);
  const auto slice = [&](std::int64_t i) {
    const auto at = std::min(static_cast<std::uint64_t>((i + size) % size) * length, whole.size);
    return Buffer{static_cast<char*>(whole.base) + at, std::min(length, whole.size - at), nullptr};
  };
  if (me == 0) {
    for (std::int64_t i = 1; i < size; ++i) schedule.send(real(i), slice(i));
  } else {
    schedule.receive(real(0), slice(me));
    schedule.fence();
  }
  for (std::int64_t i = 0; i < size - 1; ++i) {
    if (me != 0) schedule.receive(real(me - 1), slice(me - 1 - i));
    if (me != size - 1) schedule.send(real(me + 1), slice(me - i));
    schedule.fence();
  }
  if (buffer.layout && me != 0) schedule.copy(whole, buffer);
}

}  // namespace

void bcast(Schedule& schedule, Place place, const Buffer& buffer, int root) {
  if (place.size == 1) return;
  if (buffer.size < kLargeBytes || place.size < kManyMembers) return by_tree(schedule, place, buffer, root);
  by_slices(schedule, place, buffer, root);
}

}  // namespace hawser::mpi::coll
