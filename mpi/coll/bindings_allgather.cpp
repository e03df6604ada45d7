// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"
#include "mpi/coll/arguments.hpp"
#include "mpi/coll/shm_setup.hpp"

namespace hawser::mpi::coll {
namespace {

int call_allgather(const Call& call, const Own& own, const Side& all, MPI_Comm handle) noexcept {
  Comm* comm = object_of(handle);
  if (int bad = check_call(call, comm)) return bad;
  if (int bad = check_side(call, *comm, all)) return bad;
  const bool here = in_place(own.base);
  Buffer buffer{};
  if (!here) {
    const Datatype* type = object_of(own.type);
    if (int bad = check_data(call, *comm, own.base, own.count, type)) return bad;
    buffer = type->buffer(own.base, static_cast<std::uint64_t>(own.count));
    if (int bad = check_apart(call, *comm, own.base, all.blocks[comm->rank].base, buffer.size)) return bad;
  }
  Team* team;
  if (int bad = check_team(call, *comm, call.waits && all.equal, team)) return bad;
  if (team) {
    return ended(call, *comm, coll::allgather(*team, here ? nullptr : &buffer, all.blocks));
  }
  return launch(call, *comm, nullptr, [&](Schedule& schedule) {
    coll::allgather(schedule, place_in(*comm), here ? nullptr : &buffer, all.blocks);
  });
}

}  // namespace
}  // namespace hawser::mpi::coll

namespace coll = hawser::mpi::coll;

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm) {
  return coll::call_allgather({"MPI_Allgather", true, nullptr}, {sendbuf, sendcount, sendtype},
                              coll::equal_side(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Allgather)

int PMPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return coll::call_allgather({"MPI_Iallgather", false, request}, {sendbuf, sendcount, sendtype},
                              coll::equal_side(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Iallgather)

int PMPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::call_allgather({"MPI_Allgather_init", false, request, true}, {sendbuf, sendcount, sendtype},
                              coll::equal_side(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Allgather_init)

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return coll::call_allgather({"MPI_Allgatherv", true, nullptr}, {sendbuf, sendcount, sendtype},
                              coll::unequal_side(recvbuf, recvcounts, displs, recvtype), comm);
}
HAWSER_MPI_ALIAS(Allgatherv)

int PMPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request* request) {
  return coll::call_allgather({"MPI_Iallgatherv", false, request}, {sendbuf, sendcount, sendtype},
                              coll::unequal_side(recvbuf, recvcounts, displs, recvtype), comm);
}
HAWSER_MPI_ALIAS(Iallgatherv)

int PMPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                         MPI_Info, MPI_Request* request) {
  return coll::call_allgather({"MPI_Allgatherv_init", false, request, true}, {sendbuf, sendcount, sendtype},
                              coll::unequal_side(recvbuf, recvcounts, displs, recvtype), comm);
}
HAWSER_MPI_ALIAS(Allgatherv_init)
