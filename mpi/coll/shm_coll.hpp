// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/coll/algorithms.hpp"
#include "mpi/coll/shm_team.hpp"

// Collectives over shared memory; arguments as in algorithms.hpp. Each waits for its end.

namespace hawser::mpi::coll {

Outcome barrier(Team& team) noexcept;
Outcome bcast(Team& team, const Buffer& buffer, int root) noexcept;
Outcome allgather(Team& team, const Buffer* own, const Blocks& all) noexcept;
Outcome alltoall(Team& team, const Blocks* from, const Blocks& to) noexcept;

/// Whether reductions by `op` may go over shared memory: the order of operands changes no bit. Equal in all
/// members.
inline bool can_reduce(const Op& op) noexcept {
  return symmetric(op);
}
Outcome reduce(Team& team, const Op& op, const Items& from, const Items& to, int root) noexcept;
Outcome allreduce(Team& team, const Op& op, const Items& from, const Items& to) noexcept;

}  // namespace hawser::mpi::coll
