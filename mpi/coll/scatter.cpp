// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/algorithms.hpp"

namespace hawser::mpi::coll {

/// The root to all, the next in rank first.
void scatter(Schedule& schedule, Place place, const Blocks& all, const Buffer* own, int root) {
  if (place.rank != root) {
    if (own->size != 0) schedule.receive(root, *own);
    return;
  }
  for (int i = 1; i < place.size; ++i) {
    const int peer = (root + i) % place.size;
    const Buffer block = all[peer];
    if (block.size != 0) schedule.send(peer, block);
  }
  if (own) schedule.copy(all[root], *own);
}

}  // namespace hawser::mpi::coll
