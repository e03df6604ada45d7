// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/rooted.hpp"

namespace hawser::mpi::coll {

int check_rooted(const Call& call, const Comm* comm, const Own& own, const Side& all, int root,
                 Buffer& out) noexcept {
  if (int bad = check_call(call, comm)) return bad;
  if (int bad = check_root(*comm, root, call.function)) return bad;
  const bool is_root = comm->rank == root;
  if (is_root) {
    if (int bad = check_side(call, *comm, all)) return bad;
    if (in_place(own.base)) return MPI_SUCCESS;
  }
  const Datatype* type = object_of(own.type);
  if (int bad = check_data(call, *comm, own.base, own.count, type)) return bad;
  out = type->buffer(own.base, static_cast<std::uint64_t>(own.count));
  return is_root ? check_apart(call, *comm, own.base, all.blocks[root].base, out.size) : MPI_SUCCESS;
}

}  // namespace hawser::mpi::coll
