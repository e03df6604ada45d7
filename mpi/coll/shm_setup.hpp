// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/coll/launch.hpp"
#include "mpi/coll/shm_coll.hpp"
#include "mpi/objects.hpp"

namespace hawser::mpi::coll {

/// The members of `comm` as a team; null: not all are on one node and reach each other over shared memory, or
/// it is not wanted. To be asked at the beginning of each blocking collective of those that a team can do, so
/// that all members find out in the same one: that takes collectives of its own, over messages. An error: in
/// which one the others find out cannot be learned; going on would be to wait for them in another one.
Errc find_team(Comm& comm, Team*& team) noexcept;

/// The same in a binding, for a collective that a team `can` do: MPI_SUCCESS, or what the binding returns.
inline int check_team(const Call& call, Comm& comm, bool can, Team*& team) noexcept {
  team = nullptr;
  if (!can) return MPI_SUCCESS;
  if (HAWSER_LIKELY((team = comm.team) != nullptr)) return MPI_SUCCESS;
  const Errc found = find_team(comm, team);
  if (HAWSER_LIKELY(found == Errc::kOk)) return MPI_SUCCESS;
  return ended(call, comm,
               {found, "after how many collectives its member 0 shares memory cannot be learned"});
}

}  // namespace hawser::mpi::coll
