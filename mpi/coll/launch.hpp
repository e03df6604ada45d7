// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "mpi/coll/algorithms.hpp"
#include "mpi/coll/operation.hpp"
#include "mpi/errors.hpp"

namespace hawser::mpi::coll {

inline Place place_in(const Comm& comm) noexcept {
  return {comm.rank, comm.size};
}

/// Makes a schedule by `build(schedule)`, and hands the operation to `go`. Out of memory: that, and no
/// operation.
template <class Build, class Go>
Outcome make(Comm& comm, const Op* op, Build&& build, Go&& go) noexcept {
  Operation* operation = nullptr;
  try {
    operation = &Operation::take(comm, op);
    build(operation->schedule);
    operation->reserve();
  } catch (const std::bad_alloc&) {
    if (operation) operation->give_back();
    return {Errc::kOutOfMemory, "there is no memory for the collective's steps and buffers"};
  }
  return go(*operation);
}

/// The same, run to its end.
template <class Build>
Outcome run(Comm& comm, const Op* op, Build&& build) noexcept {
  return make(comm, op, build, [](Operation& operation) noexcept { return operation.run_to_end(); });
}

/// How a binding was called: MPI_Name waits, MPI_Iname gives a request, MPI_Name_init one to be started.
struct Call {
  const char* function;
  bool waits;
  MPI_Request* request;
  bool persistent = false;
};

/// Hands the operation, which has its schedule, to a persistent request (persistent.cpp).
Outcome make_persistent(Comm& comm, Operation& operation, MPI_Request* request) noexcept;

/// What the binding returns when a blocking call ended so.
inline int ended(const Call& call, const Comm& comm, const Outcome& outcome) noexcept {
  if (HAWSER_LIKELY(outcome.error == Errc::kOk)) return MPI_SUCCESS;
  return fail(&comm, class_of(outcome.error), call.function,
              outcome.why ? outcome.why : to_text(outcome.error));
}

/// Runs or starts what `build` schedules, or keeps it for later. What the binding returns.
template <class Build>
int launch(const Call& call, Comm& comm, const Op* op, Build&& build) noexcept {
  const Outcome outcome =
      call.waits ? run(comm, op, build) : make(comm, op, build, [&](Operation& operation) noexcept {
        if (call.persistent) return make_persistent(comm, operation, call.request);
        *call.request = handle_of(&operation);
        operation.run_by_progress();
        return Outcome{};
      });
  return ended(call, comm, outcome);
}

}  // namespace hawser::mpi::coll
