// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mpi/coll/schedule.hpp"
#include "mpi/handles.hpp"

// One function per collective: adds to `schedule` what the member at `place` does. All members choose the
// same algorithm: by the number of members and by bytes that are equal on all, never by types or addresses.

namespace hawser::mpi::coll {

/// A buffer's blocks, one per member: `count` items each, one after the other; or with `counts`, each
/// `displs` items from the base; or with `types` as well, each `displs` bytes from it.
struct Blocks {
  char* base;
  const Datatype* type;  // null with `types`
  std::uint64_t count = 0;
  const int* counts = nullptr;
  const int* displs = nullptr;
  const MPI_Datatype* types = nullptr;

  Items items(int i) const noexcept;
  Buffer operator[](int i) const noexcept { return items(i).buffer(); }
};

void barrier(Schedule& schedule, Place place);
void bcast(Schedule& schedule, Place place, const Buffer& buffer, int root);
/// `own`: what this member gives; null at a root whose block is in place. `all` counts at the root only.
void gather(Schedule& schedule, Place place, const Buffer* own, const Blocks& all, int root);
/// `own`: what this member gets; null at a root whose block stays in place. `all` counts at the root only.
void scatter(Schedule& schedule, Place place, const Blocks& all, const Buffer* own, int root);
/// `own`: what this member gives; null: it is in place.
void allgather(Schedule& schedule, Place place, const Buffer* own, const Blocks& all);
/// `from`: null: in place.
void alltoall(Schedule& schedule, Place place, const Blocks* from, const Blocks& to);

// Reductions. What the member gives may be where the result goes: in place.
/// `to` counts at the root only.
void reduce(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to, int root);
void allreduce(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to);
/// Each member gets its block of the result; `counts` has the items of each, or is null: to.count each.
void reduce_scatter(Schedule& schedule, Place place, const Op& op, const Items& from, const int* counts,
                    const Items& to);
void scan(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to);
/// Member 0's `to` stays as it is.
void exscan(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to);

/// Whether the operands of `op` may change sides without a bit of the result changing.
inline bool symmetric(const Op& op) noexcept {
  return op.commutative && op.kind != Op::Kind::kUser;
}

}  // namespace hawser::mpi::coll
