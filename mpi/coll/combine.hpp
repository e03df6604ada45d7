// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "mpi/coll/algorithms.hpp"

namespace hawser::mpi::coll {

/// `mine` = the reduction of `mine` and `other`, where `other` comes from lower ranks or not. The two may
/// change places, and `other` is lost.
inline void combine(Schedule& schedule, const Op& op, Items& mine, Items& other, bool other_is_lower) {
  if (other_is_lower || symmetric(op)) return schedule.reduce(other, mine);
  schedule.reduce(mine, other);
  std::swap(mine, other);
}

}  // namespace hawser::mpi::coll
