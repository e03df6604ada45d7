// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/neighbor.hpp"

namespace hawser::mpi::coll {

namespace {

void receive(Schedule& schedule, const Topology& topology, const std::vector<Buffer>& in, std::size_t i) {
  if (topology.sources[i] != MPI_PROC_NULL) schedule.receive(topology.sources[i], in[i]);
}

}  // namespace

/// Messages between two members match in the order of these steps.
void neighbor_exchange(Schedule& schedule, const Topology& topology, const std::vector<Buffer>& out,
                       const std::vector<Buffer>& in) {
  if (std::holds_alternative<Grid>(topology.shape)) {
    for (std::size_t i = 0; i < in.size(); i += 2) {  // first what is sent first: backwards, so from ahead
      receive(schedule, topology, in, i + 1);
      receive(schedule, topology, in, i);
    }
  } else {
    for (std::size_t i = 0; i < in.size(); ++i) receive(schedule, topology, in, i);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (topology.destinations[i] != MPI_PROC_NULL) schedule.send(topology.destinations[i], out[i]);
  }
}

}  // namespace hawser::mpi::coll
