// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "mpi/binding.hpp"
#include "mpi/coll/arguments.hpp"
#include "mpi/coll/neighbor.hpp"

// Neighbourhood collectives, and their non-blocking and persistent forms.

namespace hawser::mpi::coll {
namespace {

/// A block for each neighbour, as a program gives them.
struct NeighborBlocks {
  enum class Form : std::uint8_t {
    kSame,     // one block for all
    kEqual,    // `count` items each, one after the other
    kUnequal,  // counts[i] items, displs[i] items from the base
    kMixed,    // counts[i] items of types[i], bytes[i] bytes from the base
  };
  Form form;
  const void* base;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;
  const int* counts = nullptr;
  const int* displs = nullptr;
  const MPI_Aint* bytes = nullptr;
  const MPI_Datatype* types = nullptr;

  bool lists_missing() const noexcept {
    if (form == Form::kUnequal) return !counts || !displs;
    return form == Form::kMixed && (!counts || !bytes || !types);
  }
  const Datatype* type_of(std::size_t i) const noexcept {
    return object_of(form == Form::kMixed ? types[i] : type);
  }
  int count_of(std::size_t i) const noexcept { return counts ? counts[i] : count; }
  Buffer operator[](std::size_t i) const noexcept {
    const Datatype& of = *type_of(i);
    std::int64_t at = 0;
    if (form == Form::kEqual) at = static_cast<std::int64_t>(i) * count * of.extent;
    if (form == Form::kUnequal) at = displs[i] * of.extent;
    if (form == Form::kMixed) at = bytes[i];
    return of.buffer(bytes_of(base) + at, static_cast<std::uint64_t>(count_of(i)));
  }
  std::vector<Buffer> buffers(std::size_t neighbors) const {
    std::vector<Buffer> all;
    for (std::size_t i = 0; i < neighbors; ++i) all.push_back((*this)[i]);
    return all;
  }
};

NeighborBlocks same(const void* base, int count, MPI_Datatype type) noexcept {
  return {NeighborBlocks::Form::kSame, base, type, count};
}
NeighborBlocks equal(const void* base, int count, MPI_Datatype type) noexcept {
  return {NeighborBlocks::Form::kEqual, base, type, count};
}
NeighborBlocks unequal(const void* base, const int* counts, const int* displs, MPI_Datatype type) noexcept {
  return {NeighborBlocks::Form::kUnequal, base, type, 0, counts, displs};
}
NeighborBlocks mixed(const void* base, const int* counts, const MPI_Aint* bytes,
                     const MPI_Datatype* types) noexcept {
  return {NeighborBlocks::Form::kMixed, base, MPI_DATATYPE_NULL, 0, counts, nullptr, bytes, types};
}

int check_blocks(const Call& call, const Comm& comm, const NeighborBlocks& blocks,
                 std::size_t neighbors) noexcept {
  if (neighbors != 0 && blocks.lists_missing())
    return fail(&comm, MPI_ERR_ARG, call.function, "the counts, displacements or types are null");
  for (std::size_t i = 0; i < neighbors; ++i) {
    if (int bad = check_data(call, comm, blocks.base, blocks.count_of(i), blocks.type_of(i))) return bad;
  }
  return MPI_SUCCESS;
}

int call_neighbor(const Call& call, const NeighborBlocks& give, const NeighborBlocks& get,
                  MPI_Comm handle) noexcept {
  Comm* comm = object_of(handle);
  if (int bad = check_call(call, comm)) return bad;
  const Topology* topology = comm->topology.get();
  if (!topology)
    return fail(comm, MPI_ERR_TOPOLOGY, call.function,
                fmt::format("{} has no topology, so no neighbours", comm->name));
  if (int bad = check_blocks(call, *comm, give, topology->destinations.size())) return bad;
  if (int bad = check_blocks(call, *comm, get, topology->sources.size())) return bad;
  return launch(call, *comm, nullptr, [&](Schedule& schedule) {
    neighbor_exchange(schedule, *topology, give.buffers(topology->destinations.size()),
                      get.buffers(topology->sources.size()));
  });
}

}  // namespace
}  // namespace hawser::mpi::coll

namespace coll = hawser::mpi::coll;

int PMPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return coll::call_neighbor({"MPI_Neighbor_allgather", true, nullptr},
                             coll::same(sendbuf, sendcount, sendtype),
                             coll::equal(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Neighbor_allgather)

int PMPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return coll::call_neighbor({"MPI_Ineighbor_allgather", false, request},
                             coll::same(sendbuf, sendcount, sendtype),
                             coll::equal(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Ineighbor_allgather)

int PMPI_Neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                                 MPI_Request* request) {
  return coll::call_neighbor({"MPI_Neighbor_allgather_init", false, request, true},
                             coll::same(sendbuf, sendcount, sendtype),
                             coll::equal(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Neighbor_allgather_init)

int PMPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                             MPI_Comm comm) {
  return coll::call_neighbor({"MPI_Neighbor_allgatherv", true, nullptr},
                             coll::same(sendbuf, sendcount, sendtype),
                             coll::unequal(recvbuf, recvcounts, displs, recvtype), comm);
}
HAWSER_MPI_ALIAS(Neighbor_allgatherv)

int PMPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                              const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                              MPI_Comm comm, MPI_Request* request) {
  return coll::call_neighbor({"MPI_Ineighbor_allgatherv", false, request},
                             coll::same(sendbuf, sendcount, sendtype),
                             coll::unequal(recvbuf, recvcounts, displs, recvtype), comm);
}
HAWSER_MPI_ALIAS(Ineighbor_allgatherv)

int PMPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::call_neighbor({"MPI_Neighbor_allgatherv_init", false, request, true},
                             coll::same(sendbuf, sendcount, sendtype),
                             coll::unequal(recvbuf, recvcounts, displs, recvtype), comm);
}
HAWSER_MPI_ALIAS(Neighbor_allgatherv_init)

int PMPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return coll::call_neighbor({"MPI_Neighbor_alltoall", true, nullptr},
                             coll::equal(sendbuf, sendcount, sendtype),
                             coll::equal(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Neighbor_alltoall)

int PMPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return coll::call_neighbor({"MPI_Ineighbor_alltoall", false, request},
                             coll::equal(sendbuf, sendcount, sendtype),
                             coll::equal(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Ineighbor_alltoall)

int PMPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                                MPI_Request* request) {
  return coll::call_neighbor({"MPI_Neighbor_alltoall_init", false, request, true},
                             coll::equal(sendbuf, sendcount, sendtype),
                             coll::equal(recvbuf, recvcount, recvtype), comm);
}
HAWSER_MPI_ALIAS(Neighbor_alltoall_init)

int PMPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                            MPI_Datatype recvtype, MPI_Comm comm) {
  return coll::call_neighbor({"MPI_Neighbor_alltoallv", true, nullptr},
                             coll::unequal(sendbuf, sendcounts, sdispls, sendtype),
                             coll::unequal(recvbuf, recvcounts, rdispls, recvtype), comm);
}
HAWSER_MPI_ALIAS(Neighbor_alltoallv)

int PMPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                             MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                             const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) {
  return coll::call_neighbor({"MPI_Ineighbor_alltoallv", false, request},
                             coll::unequal(sendbuf, sendcounts, sdispls, sendtype),
                             coll::unequal(recvbuf, recvcounts, rdispls, recvtype), comm);
}
HAWSER_MPI_ALIAS(Ineighbor_alltoallv)

int PMPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                 const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                                 MPI_Request* request) {
  return coll::call_neighbor({"MPI_Neighbor_alltoallv_init", false, request, true},
                             coll::unequal(sendbuf, sendcounts, sdispls, sendtype),
                             coll::unequal(recvbuf, recvcounts, rdispls, recvtype), comm);
}
HAWSER_MPI_ALIAS(Neighbor_alltoallv_init)

int PMPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return coll::call_neighbor({"MPI_Neighbor_alltoallw", true, nullptr},
                             coll::mixed(sendbuf, sendcounts, sdispls, sendtypes),
                             coll::mixed(recvbuf, recvcounts, rdispls, recvtypes), comm);
}
HAWSER_MPI_ALIAS(Neighbor_alltoallw)

int PMPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                             MPI_Request* request) {
  return coll::call_neighbor({"MPI_Ineighbor_alltoallw", false, request},
                             coll::mixed(sendbuf, sendcounts, sdispls, sendtypes),
                             coll::mixed(recvbuf, recvcounts, rdispls, recvtypes), comm);
}
HAWSER_MPI_ALIAS(Ineighbor_alltoallw)

int PMPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                 const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                 const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                 MPI_Info, MPI_Request* request) {
  return coll::call_neighbor({"MPI_Neighbor_alltoallw_init", false, request, true},
                             coll::mixed(sendbuf, sendcounts, sdispls, sendtypes),
                             coll::mixed(recvbuf, recvcounts, rdispls, recvtypes), comm);
}
HAWSER_MPI_ALIAS(Neighbor_alltoallw_init)
