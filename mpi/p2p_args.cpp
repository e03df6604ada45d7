// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/p2p_args.hpp"

#include <fmt/format.h>

#include "mpi/errors.hpp"

namespace hawser::mpi {

static int check_peer(const Comm& comm, int rank, int tag, bool receive, const char* function) noexcept {
  const bool any = receive && rank == MPI_ANY_SOURCE;
  if (HAWSER_UNLIKELY((rank < 0 || rank >= comm.size) && !any && rank != MPI_PROC_NULL)) {
    return fail(&comm, MPI_ERR_RANK, function, fmt::format("rank is {}, the size is {}", rank, comm.size));
  }
  if (HAWSER_UNLIKELY(tag < 0 && !(receive && tag == MPI_ANY_TAG))) {
    return fail(&comm, MPI_ERR_TAG, function, fmt::format("tag is {}", tag));
  }
  return MPI_SUCCESS;
}

P2pCall check_p2p(const void* base, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  bool receive, const char* function) noexcept {
  P2pCall call{object_of(comm), object_of(type), MPI_SUCCESS};
  if (!library().params.param_check && call.comm && call.type) return call;
  if ((call.error = check_comm(call.comm, function))) return call;
  if ((call.error = check_count(*call.comm, count, function))) return call;
  if ((call.error = check_type(*call.comm, call.type, function))) return call;
  if ((call.error = check_peer(*call.comm, peer, tag, receive, function))) return call;
  call.error = check_buffer(*call.comm, base, count, *call.type, function);
  return call;
}

}  // namespace hawser::mpi
