// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/coll/shm_coll.hpp"
#include "mpi/objects.hpp"

namespace hawser::mpi::coll {

/// The members of `comm` as a team; null: not all are on one node and reach each other over shared memory, or
/// it is not wanted. To be asked at the beginning of each blocking collective of those that a team can do, so
/// that all members find out in the same one: that takes collectives of its own, over messages.
Team* find_team(Comm& comm) noexcept;
inline Team* team_of(Comm& comm) noexcept {
  return HAWSER_LIKELY(comm.team != nullptr) ? comm.team : find_team(comm);
}

}  // namespace hawser::mpi::coll
