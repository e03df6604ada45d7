// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/datatype.hpp"
#include "mpi/objects.hpp"

// Collectives, as the rest of the MPI layer calls them. All members of the communicator call, in the same
// order. Errors: that of this member's first transfer that failed; a failure reaches every member that needs
// the data.

namespace hawser::mpi::coll {

/// Between them, non-blocking collectives advance. After the PML is made; before it goes.
void start(Runtime& runtime);
/// Before the runtime starts.
void add_handlers(btl::HandlerTable& table) noexcept;
/// Tells the other ranks what they must agree on; before the runtime starts.
Errc publish_setup(Runtime& runtime) noexcept;
/// Gives back the memory that the members of `comm` share, if they do.
void close_team(Comm& comm) noexcept;
void stop() noexcept;

Errc barrier(Comm& comm) noexcept;
Errc bcast(Comm& comm, void* buffer, std::uint64_t count, const Datatype& type, int root) noexcept;
/// `all` gets `bytes_each` of every member, by rank; `mine` must not lie in it.
Errc allgather_bytes(Comm& comm, const void* mine, void* all, std::size_t bytes_each) noexcept;
/// Every member gets the bit-wise AND of all.
Errc allreduce_band_bytes(Comm& comm, void* inout, std::size_t bytes) noexcept;

}  // namespace hawser::mpi::coll
