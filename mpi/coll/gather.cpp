// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/algorithms.hpp"

namespace hawser::mpi::coll {

/// All to the root.
void gather(Schedule& schedule, Place place, const Buffer* own, const Blocks& all, int root) {
  if (place.rank != root) {
    if (own->size != 0) schedule.send(root, *own);
    return;
  }
  for (int i = 0; i < place.size; ++i) {
    const Buffer block = all[i];
    if (i != root && block.size != 0) schedule.receive(i, block);
  }
  if (own) schedule.copy(*own, all[root]);
}

}  // namespace hawser::mpi::coll
