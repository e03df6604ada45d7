// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/algorithms.hpp"

namespace hawser::mpi::coll {

/// Dissemination: in round k each tells the member 2^k further on.
void barrier(Schedule& schedule, Place place) {
  for (std::int64_t distance = 1; distance < place.size; distance *= 2) {
    const auto to = (place.rank + distance) % place.size;
    const auto from = (place.rank - distance + place.size) % place.size;
    schedule.exchange(static_cast<int>(to), {}, static_cast<int>(from), {});
  }
}

}  // namespace hawser::mpi::coll
