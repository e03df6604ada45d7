// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks that the functions on topologies share. Each gives MPI_SUCCESS, or what the binding returns.

#include <fmt/format.h>

#include "mpi/errors.hpp"
#include "mpi/topology.hpp"

namespace hawser::mpi {

/// The topology of `comm`, if it is of that kind; else null, with `error`.
template <class Shape>
const Shape* shape_of(const Comm* comm, const char* kind, const char* function, int& error) noexcept {
  if ((error = check_comm(comm, function))) return nullptr;
  const Shape* shape = comm->topology ? std::get_if<Shape>(&comm->topology->shape) : nullptr;
  if (!shape) error = fail(comm, MPI_ERR_TOPOLOGY, function, fmt::format("{} is not {}", comm->name, kind));
  return shape;
}

inline int check_rank(const Comm& comm, int rank, const char* function) noexcept {
  if (rank >= 0 && rank < comm.size) return MPI_SUCCESS;
  return fail(&comm, MPI_ERR_RANK, function, fmt::format("rank is {}, the size is {}", rank, comm.size));
}

/// A list of `count` elements.
inline int check_list(const Comm& comm, int count, const void* list, const char* name,
                      const char* function) noexcept {
  if (count < 0)
    return fail(&comm, MPI_ERR_ARG, function, fmt::format("{}: their number is {}", name, count));
  if (count == 0 || list) return MPI_SUCCESS;
  return fail(&comm, MPI_ERR_ARG, function, fmt::format("{}: the list is null", name));
}

}  // namespace hawser::mpi
