// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"
#include "mpi/coll/arguments.hpp"
#include "mpi/coll/shm_setup.hpp"

// MPI_Barrier, MPI_Bcast and their non-blocking and persistent forms.

namespace hawser::mpi::coll {
namespace {

int call_barrier(const Call& call, MPI_Comm handle) noexcept {
  Comm* comm = object_of(handle);
  if (int bad = check_call(call, comm)) return bad;
  Team* team;
  if (int bad = check_team(call, *comm, call.waits, team)) return bad;
  if (team) return ended(call, *comm, coll::barrier(*team));
  return launch(call, *comm, nullptr, [&](Schedule& schedule) { coll::barrier(schedule, place_in(*comm)); });
}

int call_bcast(const Call& call, void* base, int count, MPI_Datatype datatype, int root,
               MPI_Comm handle) noexcept {
  Comm* comm = object_of(handle);
  if (int bad = check_call(call, comm)) return bad;
  if (int bad = check_root(*comm, root, call.function)) return bad;
  const Datatype* type = object_of(datatype);
  if (int bad = check_data(call, *comm, base, count, type)) return bad;
  const Buffer buffer = type->buffer(base, static_cast<std::uint64_t>(count));
  Team* team;
  if (int bad = check_team(call, *comm, call.waits, team)) return bad;
  if (team) return ended(call, *comm, coll::bcast(*team, buffer, root));
  return launch(call, *comm, nullptr,
                [&](Schedule& schedule) { coll::bcast(schedule, place_in(*comm), buffer, root); });
}

}  // namespace
}  // namespace hawser::mpi::coll

namespace coll = hawser::mpi::coll;

int PMPI_Barrier(MPI_Comm comm) {
  return coll::call_barrier({"MPI_Barrier", true, nullptr}, comm);
}
HAWSER_MPI_ALIAS(Barrier)

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return coll::call_barrier({"MPI_Ibarrier", false, request}, comm);
}
HAWSER_MPI_ALIAS(Ibarrier)

int PMPI_Barrier_init(MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::call_barrier({"MPI_Barrier_init", false, request, true}, comm);
}
HAWSER_MPI_ALIAS(Barrier_init)

int PMPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return coll::call_bcast({"MPI_Bcast", true, nullptr}, buffer, count, datatype, root, comm);
}
HAWSER_MPI_ALIAS(Bcast)

int PMPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                MPI_Request* request) {
  return coll::call_bcast({"MPI_Ibcast", false, request}, buffer, count, datatype, root, comm);
}
HAWSER_MPI_ALIAS(Ibcast)

int PMPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info,
                    MPI_Request* request) {
  return coll::call_bcast({"MPI_Bcast_init", false, request, true}, buffer, count, datatype, root, comm);
}
HAWSER_MPI_ALIAS(Bcast_init)
