// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/coll/arguments.hpp"

// Arguments of gather and scatter: the root has a block for each member, and each member has its own.

namespace hawser::mpi::coll {

/// Everything of a gather or scatter that counts at this member. `out`: its own block, unless in place.
int check_rooted(const Call& call, const Comm* comm, const Own& own, const Side& all, int root,
                 Buffer& out) noexcept;

}  // namespace hawser::mpi::coll
