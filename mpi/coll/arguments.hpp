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
/// Blocks of every member, with counts and displacements.
int check_blocks(const Call& call, const Comm& comm, const Blocks& blocks) noexcept;

inline bool in_place(const void* base) noexcept {
  return base == MPI_IN_PLACE;
}
/// What is only read, for a schedule.
inline char* bytes_of(const void* base) noexcept {
  return static_cast<char*>(const_cast<void*>(base));
}

}  // namespace hawser::mpi::coll
