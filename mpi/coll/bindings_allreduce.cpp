// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"
#include "mpi/coll/arguments.hpp"
#include "mpi/coll/shm_setup.hpp"

// MPI_Allreduce, MPI_Scan, MPI_Exscan: every member gives and gets as much.

namespace hawser::mpi::coll {
namespace {

using Algorithm = void (*)(Schedule& schedule, Place place, const Op& op, const Items& from, const Items& to);

struct Arguments {
  const void* sendbuf;
  void* recvbuf;
  int count;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;
};

int reduce_all(const Call& call, Algorithm algorithm, const Arguments& it) noexcept {
  Comm* comm = object_of(it.comm);
  if (int bad = check_call(call, comm)) return bad;
  const Datatype* type = object_of(it.datatype);
  if (int bad = check_data(call, *comm, it.recvbuf, it.count, type)) return bad;
  const Op* op = object_of(it.op);
  if (int bad = check_op(*comm, op, *type, call.function)) return bad;
  const Items to{static_cast<char*>(it.recvbuf), static_cast<std::uint64_t>(it.count), type};
  Items from = to;
  if (!in_place(it.sendbuf)) {
    if (int bad = check_data(call, *comm, it.sendbuf, it.count, type)) return bad;
    if (int bad = check_apart(call, *comm, it.sendbuf, it.recvbuf, to.bytes())) return bad;
    from.base = bytes_of(it.sendbuf);
  }
  const bool is_allreduce = algorithm == static_cast<Algorithm>(&coll::allreduce);
  Team* team;
  if (int bad = check_team(call, *comm, call.waits && is_allreduce && can_reduce(*op), team)) return bad;
  if (team) return ended(call, *comm, coll::allreduce(*team, *op, from, to));
  return launch(call, *comm, op,
                [&](Schedule& schedule) { algorithm(schedule, place_in(*comm), *op, from, to); });
}

}  // namespace
}  // namespace hawser::mpi::coll

namespace coll = hawser::mpi::coll;

int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return coll::reduce_all({"MPI_Allreduce", true, nullptr}, &coll::allreduce,
                          {sendbuf, recvbuf, count, datatype, op, comm});
}
HAWSER_MPI_ALIAS(Allreduce)

int PMPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
  return coll::reduce_all({"MPI_Iallreduce", false, request}, &coll::allreduce,
                          {sendbuf, recvbuf, count, datatype, op, comm});
}
HAWSER_MPI_ALIAS(Iallreduce)

int PMPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::reduce_all({"MPI_Allreduce_init", false, request, true}, &coll::allreduce,
                          {sendbuf, recvbuf, count, datatype, op, comm});
}
HAWSER_MPI_ALIAS(Allreduce_init)

int PMPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm) {
  return coll::reduce_all({"MPI_Scan", true, nullptr}, &coll::scan,
                          {sendbuf, recvbuf, count, datatype, op, comm});
}
HAWSER_MPI_ALIAS(Scan)

int PMPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
               MPI_Request* request) {
  return coll::reduce_all({"MPI_Iscan", false, request}, &coll::scan,
                          {sendbuf, recvbuf, count, datatype, op, comm});
}
HAWSER_MPI_ALIAS(Iscan)

int PMPI_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::reduce_all({"MPI_Scan_init", false, request, true}, &coll::scan,
                          {sendbuf, recvbuf, count, datatype, op, comm});
}
HAWSER_MPI_ALIAS(Scan_init)

int PMPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm) {
  return coll::reduce_all({"MPI_Exscan", true, nullptr}, &coll::exscan,
                          {sendbuf, recvbuf, count, datatype, op, comm});
}
HAWSER_MPI_ALIAS(Exscan)

int PMPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm, MPI_Request* request) {
  return coll::reduce_all({"MPI_Iexscan", false, request}, &coll::exscan,
                          {sendbuf, recvbuf, count, datatype, op, comm});
}
HAWSER_MPI_ALIAS(Iexscan)

int PMPI_Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return coll::reduce_all({"MPI_Exscan_init", false, request, true}, &coll::exscan,
                          {sendbuf, recvbuf, count, datatype, op, comm});
}
HAWSER_MPI_ALIAS(Exscan_init)
