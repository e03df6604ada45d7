// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mpi/coll/schedule.hpp"
#include "mpi/topology.hpp"

namespace hawser::mpi::coll {

/// What this member does in a neighbourhood collective: `out` goes to its destinations, `in` comes from its
/// sources, one buffer each. In a grid with one or two nodes in a dimension that wraps, both neighbours are
/// one member: what it is sent backwards arrives as what comes from ahead.
void neighbor_exchange(Schedule& schedule, const Topology& topology, const std::vector<Buffer>& out,
                       const std::vector<Buffer>& in);

}  // namespace hawser::mpi::coll
