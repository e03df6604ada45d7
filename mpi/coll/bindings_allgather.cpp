// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"
#include "mpi/coll/arguments.hpp"

namespace hawser::mpi::coll {
namespace {

struct Own {
  const void* base;
  int count;
  MPI_Datatype type;
};

/// `all` is checked by then.
int call_allgather(const Call& call, const Own& own, const Blocks& all, Comm& comm) noexcept {
  Buffer buffer{};
  if (!in_place(own.base)) {
    const Datatype* type = object_of(own.type);
    if (int bad = check_data(call, comm, own.base, own.count, type)) return bad;
    buffer = type->buffer(own.base, static_cast<std::uint64_t>(own.count));
    if (int bad = check_apart(call, comm, own.base, all[comm.rank].base, buffer.size)) return bad;
  }
  return launch(call, comm, nullptr, [&](Schedule& schedule) {
    coll::allgather(schedule, place_in(comm), in_place(own.base) ? nullptr : &buffer, all);
  });
}

int call_allgather(const Call& call, const Own& own, void* recvbuf, int count, MPI_Datatype datatype,
                   MPI_Comm handle) noexcept {
  Comm* comm = object_of(handle);
  if (int bad = check_call(call, comm)) return bad;
  const Datatype* type = object_of(datatype);
  if (int bad = check_data(call, *comm, recvbuf, count, type)) return bad;
  return call_allgather(call, own,
                        Blocks{static_cast<char*>(recvbuf), type, static_cast<std::uint64_t>(count)}, *comm);
}

int call_allgatherv(const Call& call, const Own& own, void* recvbuf, const int* counts, const int* displs,
                    MPI_Datatype datatype, MPI_Comm handle) noexcept {
  Comm* comm = object_of(handle);
  if (int bad = check_call(call, comm)) return bad;
  const Blocks all{static_cast<char*>(recvbuf), object_of(datatype), 0, counts, displs};
  if (int bad = check_blocks(call, *comm, all)) return bad;
  return call_allgather(call, own, all, *comm);
}

}  // namespace
}  // namespace hawser::mpi::coll

namespace coll = hawser::mpi::coll;

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm) {
  return coll::call_allgather({"MPI_Allgather", true, nullptr}, {sendbuf, sendcount, sendtype}, recvbuf,
                              recvcount, recvtype, comm);
}
HAWSER_MPI_ALIAS(Allgather)

int PMPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return coll::call_allgather({"MPI_Iallgather", false, request}, {sendbuf, sendcount, sendtype}, recvbuf,
                              recvcount, recvtype, comm);
}
HAWSER_MPI_ALIAS(Iallgather)

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return coll::call_allgatherv({"MPI_Allgatherv", true, nullptr}, {sendbuf, sendcount, sendtype}, recvbuf,
                               recvcounts, displs, recvtype, comm);
}
HAWSER_MPI_ALIAS(Allgatherv)

int PMPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request* request) {
  return coll::call_allgatherv({"MPI_Iallgatherv", false, request}, {sendbuf, sendcount, sendtype}, recvbuf,
                               recvcounts, displs, recvtype, comm);
}
HAWSER_MPI_ALIAS(Iallgatherv)
