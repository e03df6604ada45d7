// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"
#include "mpi/coll/arguments.hpp"
#include "mpi/coll/shm_setup.hpp"

// MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw and their non-blocking and persistent forms.

namespace hawser::mpi::coll {
namespace {

int call_alltoall(const Call& call, const Side& give, const Side& get, MPI_Comm handle) noexcept {
  Comm* comm = object_of(handle);
  if (int bad = check_call(call, comm)) return bad;
  if (int bad = check_side(call, *comm, get)) return bad;
  const Blocks& from = give.blocks;
  const Blocks& to = get.blocks;
  const bool here = in_place(from.base);
  if (!here) {
    if (int bad = check_side(call, *comm, give)) return bad;
    const std::uint64_t bytes = from[comm->rank].size;
    if (int bad = check_apart(call, *comm, from[comm->rank].base, to[comm->rank].base, bytes)) return bad;
  }
  Team* team;
  if (int bad = check_team(call, *comm, call.waits && get.equal, team)) return bad;
  if (team) return ended(call, *comm, coll::alltoall(*team, here ? nullptr : &from, to));
  return launch(call, *comm, nullptr, [&](Schedule& schedule) {
    coll::alltoall(schedule, place_in(*comm), here ? nullptr : &from, to);
  });
}

}  // namespace
}  // namespace hawser::mpi::coll

namespace coll = hawser::mpi::coll;

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm) {
  return coll::call_alltoall({"MPI_Alltoall", true, nullptr}, coll::equal_side(sendbuf, sendcount, sendtype),
                             coll::equal_side(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Alltoall)

int PMPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return coll::call_alltoall({"MPI_Ialltoall", false, request},
                             coll::equal_side(sendbuf, sendcount, sendtype),
                             coll::equal_side(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Ialltoall)

int PMPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::call_alltoall({"MPI_Alltoall_init", false, request, true},
                             coll::equal_side(sendbuf, sendcount, sendtype),
                             coll::equal_side(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Alltoall_init)

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                   MPI_Comm comm) {
  return coll::call_alltoall({"MPI_Alltoallv", true, nullptr},
                             coll::unequal_side(sendbuf, sendcounts, sdispls, sendtype),
                             coll::unequal_side(recvbuf, recvcounts, rdispls, recvtype), comm);
}
HAWSER_MPI_ALIAS(Alltoallv)

int PMPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                    MPI_Comm comm, MPI_Request* request) {
  return coll::call_alltoall({"MPI_Ialltoallv", false, request},
                             coll::unequal_side(sendbuf, sendcounts, sdispls, sendtype),
                             coll::unequal_side(recvbuf, recvcounts, rdispls, recvtype), comm);
}
HAWSER_MPI_ALIAS(Ialltoallv)

int PMPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                        MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::call_alltoall({"MPI_Alltoallv_init", false, request, true},
                             coll::unequal_side(sendbuf, sendcounts, sdispls, sendtype),
                             coll::unequal_side(recvbuf, recvcounts, rdispls, recvtype), comm);
}
HAWSER_MPI_ALIAS(Alltoallv_init)

int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                   const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return coll::call_alltoall({"MPI_Alltoallw", true, nullptr},
                             coll::unequal_side(sendbuf, sendcounts, sdispls, sendtypes),
                             coll::unequal_side(recvbuf, recvcounts, rdispls, recvtypes), comm);
}
HAWSER_MPI_ALIAS(Alltoallw)

int PMPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                    const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                    MPI_Request* request) {
  return coll::call_alltoall({"MPI_Ialltoallw", false, request},
                             coll::unequal_side(sendbuf, sendcounts, sdispls, sendtypes),
                             coll::unequal_side(recvbuf, recvcounts, rdispls, recvtypes), comm);
}
HAWSER_MPI_ALIAS(Ialltoallw)

int PMPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                        const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info,
                        MPI_Request* request) {
  return coll::call_alltoall({"MPI_Alltoallw_init", false, request, true},
                             coll::unequal_side(sendbuf, sendcounts, sdispls, sendtypes),
                             coll::unequal_side(recvbuf, recvcounts, rdispls, recvtypes), comm);
}
HAWSER_MPI_ALIAS(Alltoallw_init)
