// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/algorithms.hpp"

namespace hawser::mpi::coll {

namespace {

/// Everything at once, each member beginning with its next in rank, so that nobody is asked by all at a time.
template <class From>
void by_shift(Schedule& schedule, Place place, From&& from, const Blocks& to) {
  const int size = place.size;
  for (int i = 1; i < size; ++i) {
    const int peer = (place.rank + size - i) % size;
    const Buffer block = to[peer];
    if (block.size != 0) schedule.receive(peer, block);
  }
  for (int i = 1; i < size; ++i) {
    const int peer = (place.rank + i) % size;
    const Buffer block = from(peer);
    if (block.size != 0) schedule.send(peer, block);
  }
}

/// In place: what is given is what is overwritten, so it is set aside, packed.
void from_copies(Schedule& schedule, Place place, const Blocks& both) {
  std::uint64_t total = 0;
  for (int i = 0; i < place.size; ++i) total += both[i].size;
  char* room = schedule.scratch(total);
  char* next = room;
  for (int i = 0; i < place.size; ++i) {
    const std::uint64_t size = both[i].size;
    if (i == place.rank) continue;
    schedule.copy(both[i], {next, size, nullptr});
    next += size;
  }
  const auto copies = [&](int peer) {
    std::uint64_t before = 0;
    for (int i = 0; i < peer; ++i) before += i == place.rank ? 0 : both[i].size;
    return Buffer{room + before, both[peer].size, nullptr};
  };
  by_shift(schedule, place, copies, both);
}

}  // namespace

void alltoall(Schedule& schedule, Place place, const Blocks* from, const Blocks& to) {
  if (!from) return from_copies(schedule, place, to);
  schedule.copy((*from)[place.rank], to[place.rank]);
  by_shift(
      schedule, place, [&](int peer) { return (*from)[peer]; }, to);
}

}  // namespace hawser::mpi::coll
