// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/coll/launch.hpp"

// Checks that the bindings share. Each gives MPI_SUCCESS, or what the binding returns.

namespace hawser::mpi::coll {

/// The communicator, and where a request goes.
int check_call(const Call& call, const Comm* comm) noexcept;
/// A buffer, where MPI_IN_PLACE is not allowed.
int check_data(const Call& call, const Comm& comm, const void* base, MPI_Count count,
               const Datatype* type) noexcept;
/// Two buffers of a member that must not be one.
int check_apart(const Call& call, const Comm& comm, const void* from, const void* to,
                std::uint64_t bytes) noexcept;
inline bool in_place(const void* base) noexcept {
  return base == MPI_IN_PLACE;
}
/// What is only read, for a schedule.
inline char* bytes_of(const void* base) noexcept {
  return static_cast<char*>(const_cast<void*>(base));
}

/// A block for each member as a program gives them: `equal` ones, or with a count for each.
struct Side {
  bool equal;
  int count;
  Blocks blocks;
};
inline Side equal_side(const void* base, int count, MPI_Datatype type) noexcept {
  return {true, count, {bytes_of(base), object_of(type), static_cast<std::uint64_t>(count)}};
}
inline Side unequal_side(const void* base, const int* counts, const int* displs, MPI_Datatype type) noexcept {
  return {false, 0, {bytes_of(base), object_of(type), 0, counts, displs}};
}
inline Side unequal_side(const void* base, const int* counts, const int* displs,
                         const MPI_Datatype* types) noexcept {
  return {false, 0, {bytes_of(base), nullptr, 0, counts, displs, types}};
}
/// Where MPI_IN_PLACE is not allowed.
int check_side(const Call& call, const Comm& comm, const Side& side) noexcept;

/// A member's own block as a program gives it.
struct Own {
  const void* base;
  int count;
  MPI_Datatype type;
};

}  // namespace hawser::mpi::coll
