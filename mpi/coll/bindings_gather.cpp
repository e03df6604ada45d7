// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"
#include "mpi/coll/rooted.hpp"

// MPI_Gather, MPI_Gatherv and their non-blocking and persistent forms.

namespace hawser::mpi::coll {
namespace {

int call_gather(const Call& call, const Own& own, const Side& all, int root, MPI_Comm handle) noexcept {
  Comm* comm = object_of(handle);
  Buffer buffer{};
  if (int bad = check_rooted(call, comm, own, all, root, buffer)) return bad;
  const bool here = in_place(own.base);
  return launch(call, *comm, nullptr, [&](Schedule& schedule) {
    coll::gather(schedule, place_in(*comm), here ? nullptr : &buffer, all.blocks, root);
  });
}

}  // namespace
}  // namespace hawser::mpi::coll

namespace coll = hawser::mpi::coll;

int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return coll::call_gather({"MPI_Gather", true, nullptr}, {sendbuf, sendcount, sendtype},
                           coll::equal_side(recvbuf, recvcount, recvtype), root, comm);
}
HAWSER_MPI_ALIAS(Gather)

int PMPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return coll::call_gather({"MPI_Igather", false, request}, {sendbuf, sendcount, sendtype},
                           coll::equal_side(recvbuf, recvcount, recvtype), root, comm);
}
HAWSER_MPI_ALIAS(Igather)

int PMPI_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::call_gather({"MPI_Gather_init", false, request, true}, {sendbuf, sendcount, sendtype},
                           coll::equal_side(recvbuf, recvcount, recvtype), root, comm);
}
HAWSER_MPI_ALIAS(Gather_init)

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return coll::call_gather({"MPI_Gatherv", true, nullptr}, {sendbuf, sendcount, sendtype},
                           coll::unequal_side(recvbuf, recvcounts, displs, recvtype), root, comm);
}
HAWSER_MPI_ALIAS(Gatherv)

int PMPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  return coll::call_gather({"MPI_Igatherv", false, request}, {sendbuf, sendcount, sendtype},
                           coll::unequal_side(recvbuf, recvcounts, displs, recvtype), root, comm);
}
HAWSER_MPI_ALIAS(Igatherv)

int PMPI_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                      MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::call_gather({"MPI_Gatherv_init", false, request, true}, {sendbuf, sendcount, sendtype},
                           coll::unequal_side(recvbuf, recvcounts, displs, recvtype), root, comm);
}
HAWSER_MPI_ALIAS(Gatherv_init)
