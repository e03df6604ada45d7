// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"
#include "mpi/coll/rooted.hpp"

// MPI_Scatter, MPI_Scatterv and their non-blocking and persistent forms.

namespace hawser::mpi::coll {
namespace {

int call_scatter(const Call& call, const Side& all, const Own& own, int root, MPI_Comm handle) noexcept {
  Comm* comm = object_of(handle);
  Buffer buffer{};
  if (int bad = check_rooted(call, comm, own, all, root, buffer)) return bad;
  const bool here = in_place(own.base);
  return launch(call, *comm, nullptr, [&](Schedule& schedule) {
    coll::scatter(schedule, place_in(*comm), all.blocks, here ? nullptr : &buffer, root);
  });
}

}  // namespace
}  // namespace hawser::mpi::coll

namespace coll = hawser::mpi::coll;

int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return coll::call_scatter({"MPI_Scatter", true, nullptr}, coll::equal_side(sendbuf, sendcount, sendtype),
                            {recvbuf, recvcount, recvtype}, root, comm);
}
HAWSER_MPI_ALIAS(Scatter)

int PMPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return coll::call_scatter({"MPI_Iscatter", false, request}, coll::equal_side(sendbuf, sendcount, sendtype),
                            {recvbuf, recvcount, recvtype}, root, comm);
}
HAWSER_MPI_ALIAS(Iscatter)

int PMPI_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::call_scatter({"MPI_Scatter_init", false, request, true},
                            coll::equal_side(sendbuf, sendcount, sendtype), {recvbuf, recvcount, recvtype},
                            root, comm);
}
HAWSER_MPI_ALIAS(Scatter_init)

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return coll::call_scatter({"MPI_Scatterv", true, nullptr},
                            coll::unequal_side(sendbuf, sendcounts, displs, sendtype),
                            {recvbuf, recvcount, recvtype}, root, comm);
}
HAWSER_MPI_ALIAS(Scatterv)

int PMPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request* request) {
  return coll::call_scatter({"MPI_Iscatterv", false, request},
                            coll::unequal_side(sendbuf, sendcounts, displs, sendtype),
                            {recvbuf, recvcount, recvtype}, root, comm);
}
HAWSER_MPI_ALIAS(Iscatterv)

int PMPI_Scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                       void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                       MPI_Request* request) {
  return coll::call_scatter({"MPI_Scatterv_init", false, request, true},
                            coll::unequal_side(sendbuf, sendcounts, displs, sendtype),
                            {recvbuf, recvcount, recvtype}, root, comm);
}
HAWSER_MPI_ALIAS(Scatterv_init)
