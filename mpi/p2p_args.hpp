// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/handles.hpp"

namespace hawser::mpi {

/// The objects behind the arguments of a send or a receive, once they are checked. `error`: what the binding
/// returns if it is not MPI_SUCCESS.
struct P2pCall {
  Comm* comm = nullptr;
  Datatype* type = nullptr;
  int error = MPI_SUCCESS;
};

P2pCall check_p2p(const void* base, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  bool receive, const char* function) noexcept;

}  // namespace hawser::mpi
