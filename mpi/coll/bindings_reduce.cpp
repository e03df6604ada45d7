// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "mpi/binding.hpp"
#include "mpi/coll/arguments.hpp"
#include "mpi/coll/shm_setup.hpp"

// MPI_Reduce, MPI_Reduce_scatter, MPI_Reduce_scatter_block: what is given and what is got differ.

namespace hawser::mpi::coll {
namespace {

struct Arguments {
  const void* sendbuf;
  void* recvbuf;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;
};

int call_reduce(const Call& call, const Arguments& it, int count, int root) noexcept {
  Comm* comm = object_of(it.comm);
  if (int bad = check_call(call, comm)) return bad;
  if (int bad = check_root(*comm, root, call.function)) return bad;
  const Datatype* type = object_of(it.datatype);
  const bool is_root = comm->rank == root;
  const bool here = is_root && in_place(it.sendbuf);
  Items from{bytes_of(here ? it.recvbuf : it.sendbuf), static_cast<std::uint64_t>(count), type};
  if (int bad = check_data(call, *comm, from.base, count, type)) return bad;
  if (is_root && !here) {
    if (int bad = check_data(call, *comm, it.recvbuf, count, type)) return bad;
    if (int bad = check_apart(call, *comm, it.sendbuf, it.recvbuf, from.bytes())) return bad;
  }
  const Op* op = object_of(it.op);
  if (int bad = check_op(*comm, op, *type, call.function)) return bad;
  const Items to{static_cast<char*>(it.recvbuf), from.count, type};
  Team* team;
  if (int bad = check_team(call, *comm, call.waits && can_reduce(*op), team)) return bad;
  if (team) return ended(call, *comm, coll::reduce(*team, *op, from, to, root));
  return launch(call, *comm, op,
                [&](Schedule& schedule) { coll::reduce(schedule, place_in(*comm), *op, from, to, root); });
}

/// The items of all blocks; negative: a block has a negative count, this one.
MPI_Count total_of(const Comm& comm, const int* counts, int each) noexcept {
  if (!counts) return static_cast<MPI_Count>(each) * comm.size;
  MPI_Count total = 0;
  for (int i = 0; i < comm.size; ++i) {
    if (counts[i] < 0) return counts[i];
    total += counts[i];
  }
  return total;
}

int call_reduce_scatter(const Call& call, const Arguments& it, const int* counts, int each) noexcept {
  Comm* comm = object_of(it.comm);
  const MPI_Count total = total_of(*comm, counts, each);
  const Datatype* type = object_of(it.datatype);
  const bool here = in_place(it.sendbuf);
  const Items from{bytes_of(here ? it.recvbuf : it.sendbuf), static_cast<std::uint64_t>(total), type};
  if (int bad = check_data(call, *comm, from.base, total, type)) return bad;
  const int own = counts ? counts[comm->rank] : each;
  if (!here) {
    if (int bad = check_data(call, *comm, it.recvbuf, own, type)) return bad;
    const auto both = own == 0 ? 0 : from.bytes();
    if (int bad = check_apart(call, *comm, it.sendbuf, it.recvbuf, both)) return bad;
  }
  const Op* op = object_of(it.op);
  if (int bad = check_op(*comm, op, *type, call.function)) return bad;
  const Items to{static_cast<char*>(it.recvbuf), static_cast<std::uint64_t>(own), type};
  return launch(call, *comm, op, [&](Schedule& schedule) {
    coll::reduce_scatter(schedule, place_in(*comm), *op, from, counts, to);
  });
}

int call_reduce_scatter(const Call& call, const Arguments& it, const int* counts) noexcept {
  const Comm* comm = object_of(it.comm);
  if (int bad = check_call(call, comm)) return bad;
  if (!counts) return fail(comm, MPI_ERR_ARG, call.function, "the counts are null");
  return call_reduce_scatter(call, it, counts, 0);
}

int call_reduce_scatter_block(const Call& call, const Arguments& it, int each) noexcept {
  const Comm* comm = object_of(it.comm);
  if (int bad = check_call(call, comm)) return bad;
  return call_reduce_scatter(call, it, nullptr, each);
}

}  // namespace
}  // namespace hawser::mpi::coll

namespace coll = hawser::mpi::coll;

int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                MPI_Comm comm) {
  return coll::call_reduce({"MPI_Reduce", true, nullptr}, {sendbuf, recvbuf, datatype, op, comm}, count,
                           root);
}
HAWSER_MPI_ALIAS(Reduce)

int PMPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                 MPI_Comm comm, MPI_Request* request) {
  return coll::call_reduce({"MPI_Ireduce", false, request}, {sendbuf, recvbuf, datatype, op, comm}, count,
                           root);
}
HAWSER_MPI_ALIAS(Ireduce)

int PMPI_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                     int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::call_reduce({"MPI_Reduce_init", false, request, true}, {sendbuf, recvbuf, datatype, op, comm},
                           count, root);
}
HAWSER_MPI_ALIAS(Reduce_init)

int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm) {
  return coll::call_reduce_scatter({"MPI_Reduce_scatter", true, nullptr},
                                   {sendbuf, recvbuf, datatype, op, comm}, recvcounts);
}
HAWSER_MPI_ALIAS(Reduce_scatter)

int PMPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return coll::call_reduce_scatter({"MPI_Ireduce_scatter", false, request},
                                   {sendbuf, recvbuf, datatype, op, comm}, recvcounts);
}
HAWSER_MPI_ALIAS(Ireduce_scatter)

int PMPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[],
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info,
                             MPI_Request* request) {
  return coll::call_reduce_scatter({"MPI_Reduce_scatter_init", false, request, true},
                                   {sendbuf, recvbuf, datatype, op, comm}, recvcounts);
}
HAWSER_MPI_ALIAS(Reduce_scatter_init)

int PMPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm) {
  return coll::call_reduce_scatter_block({"MPI_Reduce_scatter_block", true, nullptr},
                                         {sendbuf, recvbuf, datatype, op, comm}, recvcount);
}
HAWSER_MPI_ALIAS(Reduce_scatter_block)

int PMPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return coll::call_reduce_scatter_block({"MPI_Ireduce_scatter_block", false, request},
                                         {sendbuf, recvbuf, datatype, op, comm}, recvcount);
}
HAWSER_MPI_ALIAS(Ireduce_scatter_block)

int PMPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                                   MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::call_reduce_scatter_block({"MPI_Reduce_scatter_block_init", false, request, true},
                                         {sendbuf, recvbuf, datatype, op, comm}, recvcount);
}
HAWSER_MPI_ALIAS(Reduce_scatter_block_init)
