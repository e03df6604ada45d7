// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/coll.hpp"

#include "mpi/coll/launch.hpp"

namespace hawser::mpi::coll {

Errc barrier(Comm& comm) noexcept {
  return run(comm, nullptr, [&](Schedule& schedule) { barrier(schedule, place_in(comm)); }).error;
}

Errc bcast(Comm& comm, void* buffer, std::uint64_t count, const Datatype& type, int root) noexcept {
  return run(comm, nullptr,
             [&](Schedule& schedule) { bcast(schedule, place_in(comm), type.buffer(buffer, count), root); })
      .error;
}

Errc allgather_bytes(Comm& comm, const void* mine, void* all, std::size_t bytes_each) noexcept {
  const Datatype& byte = *object_of(MPI_BYTE);
  const Buffer own = byte.buffer(mine, bytes_each);
  const Blocks blocks{static_cast<char*>(all), &byte, bytes_each};
  return run(comm, nullptr, [&](Schedule& schedule) { allgather(schedule, place_in(comm), &own, blocks); })
      .error;
}

Errc allreduce_band_bytes(Comm& comm, void* inout, std::size_t bytes) noexcept {
  const Op& op = *object_of(MPI_BAND);
  const Items items{static_cast<char*>(inout), bytes, object_of(MPI_BYTE)};
  return run(comm, &op, [&](Schedule& schedule) { allreduce(schedule, place_in(comm), op, items, items); })
      .error;
}

}  // namespace hawser::mpi::coll
