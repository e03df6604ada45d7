// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/arguments.hpp"

#include <fmt/format.h>

namespace hawser::mpi::coll {

int check_call(const Call& call, const Comm* comm) noexcept {
  if (int bad = check_comm(comm, call.function)) return bad;
  if (call.waits || call.request) return MPI_SUCCESS;
  return fail(comm, MPI_ERR_ARG, call.function, "the address for the request is null");
}

int check_data(const Call& call, const Comm& comm, const void* base, MPI_Count count,
               const Datatype* type) noexcept {
  if (in_place(base)) return fail(&comm, MPI_ERR_BUFFER, call.function, "MPI_IN_PLACE is not allowed here");
  if (int bad = check_count(comm, count, call.function)) return bad;
  if (int bad = check_type(comm, type, call.function)) return bad;
  return check_buffer(comm, base, count, *type, call.function);
}

int check_apart(const Call& call, const Comm& comm, const void* from, const void* to,
                std::uint64_t bytes) noexcept {
  if (bytes == 0 || from != to || !from) return MPI_SUCCESS;
  return fail(&comm, MPI_ERR_BUFFER, call.function,
              "the send buffer is the receive buffer: say MPI_IN_PLACE instead");
}

int check_side(const Call& call, const Comm& comm, const Side& side) noexcept {
  const Blocks& blocks = side.blocks;
  if (side.equal) return check_data(call, comm, blocks.base, side.count, blocks.type);
  if (!blocks.counts || !blocks.displs) {
    return fail(&comm, MPI_ERR_ARG, call.function, "the counts or the displacements are null");
  }
  for (int i = 0; i < comm.size; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const Datatype* type = blocks.types ? object_of(blocks.types[n]) : blocks.type;
    if (int bad = check_data(call, comm, blocks.base, blocks.counts[n], type)) return bad;
  }
  return MPI_SUCCESS;
}

}  // namespace hawser::mpi::coll
