// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/algorithms.hpp"

namespace hawser::mpi::coll {

namespace {

void receive_all(Schedule& schedule, Place place, const Blocks& to) {
  for (int i = 1; i < place.size; ++i) {
    const int peer = (place.rank + place.size - i) % place.size;
    const Buffer block = to[peer];
    if (block.size != 0) schedule.receive(peer, block);
  }
}

/// In place: what is given is what is overwritten, so it is set aside first, packed.
void from_copies(Schedule& schedule, Place place, const Blocks& both) {
  std::uint64_t total = 0;
  for (int i = 0; i < place.size; ++i) total += both[i].size;
  char* const room = schedule.scratch(total);
  const auto each_copy = [&](auto&& act) {
    char* next = room;
    for (int i = 1; i < place.size; ++i) {
      const int peer = (place.rank + i) % place.size;
      const Buffer block = both[peer];
      if (block.size != 0) act(peer, block, Buffer{next, block.size, nullptr});
      next += block.size;
    }
  };
  each_copy([&](int, const Buffer& block, const Buffer& copy) { schedule.copy(block, copy); });
  receive_all(schedule, place, both);
  each_copy([&](int peer, const Buffer&, const Buffer& copy) { schedule.send(peer, copy); });
}

}  // namespace

/// Everything at once, each member beginning with its next in rank, so that nobody is asked by all at a time.
void alltoall(Schedule& schedule, Place place, const Blocks* from, const Blocks& to) {
  if (!from) return from_copies(schedule, place, to);
  schedule.copy((*from)[place.rank], to[place.rank]);
  receive_all(schedule, place, to);
  for (int i = 1; i < place.size; ++i) {
    const int peer = (place.rank + i) % place.size;
    const Buffer block = (*from)[peer];
    if (block.size != 0) schedule.send(peer, block);
  }
}

}  // namespace hawser::mpi::coll
