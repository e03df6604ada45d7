// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/comm.hpp"

#include <cstring>
#include <numeric>

#include "mpi/attached.hpp"
#include "mpi/binding.hpp"
#include "mpi/coll/coll.hpp"
#include "mpi/errors.hpp"
#include "mpi/persistent.hpp"
#include "mpi/send_buffer.hpp"

namespace hawser::mpi {

PredefinedTable<Comm, 256, 4> g_comms;

namespace {

Group* group_of_ranks(std::vector<std::uint32_t> ranks, int my_rank) {
  auto* group = new Group;
  group->world_ranks = std::move(ranks);
  group->my_rank = my_rank;
  return group;
}

/// What a request that was freed while it was under way held: of its communicator, or itself.
void give_back(void* user, pml::Request::Kind kind) noexcept {
  if (kind == pml::Request::Kind::kPersistent) return delete static_cast<Persistent*>(user);
  auto& comm = *static_cast<Comm*>(user);
  kind == pml::Request::Kind::kReceive ? end_receives(comm, 1) : drop(comm);
}

Comm* make_first(std::uint32_t context, Group* group, const char* name) {
  Comm parent;
  parent.errhandler = object_of(MPI_ERRORS_ARE_FATAL);
  Comm* comm = make_comm(context, group, parent);
  comm->name = name;
  return comm;
}

}  // namespace

void make_world(Library& lib) {
  lib.pml->on_given_up_freed(&give_back);
  const btl::Job& job = lib.runtime->job();
  std::vector<std::uint32_t> ranks(job.size);
  std::iota(ranks.begin(), ranks.end(), 0u);
  lib.world = make_first(0, group_of_ranks(std::move(ranks), static_cast<int>(job.rank)), "MPI_COMM_WORLD");
  lib.self = make_first(1, group_of_ranks({job.rank}, 0), "MPI_COMM_SELF");
  g_comms.set(reinterpret_cast<std::uintptr_t>(MPI_COMM_WORLD), *lib.world);
  g_comms.set(reinterpret_cast<std::uintptr_t>(MPI_COMM_SELF), *lib.self);
}

void free_world(Library& lib) noexcept {
  lib.pml->free_given_up();
  for (Comm** comm : {&lib.self, &lib.world}) {
    g_comms.objects[(*comm)->predefined_handle - g_comms.kFirst] = nullptr;
    drop(**comm);
    *comm = nullptr;
  }
}

Comm* make_comm(std::uint32_t context, Group* group, const Comm& parent) {
  Comm* comm = prepare_comm(group, parent);
  open_comm(*comm, context);
  return comm;
}

Comm* prepare_comm(Group* group, const Comm& parent) {
  auto* comm = new Comm;
  comm->group = group;
  comm->rank = group->my_rank;
  comm->size = static_cast<int>(group->world_ranks.size());
  comm->errhandler = parent.errhandler;
  comm->errhandler->retain();
  return comm;
}

void open_comm(Comm& comm, std::uint32_t context) {
  pml::Pml& pml = *library().pml;
  comm.context = context;
  comm.p2p = pml.open_channel(2 * context, comm.rank, comm.group->world_ranks);
  comm.coll = pml.open_channel(2 * context + 1, comm.rank, comm.group->world_ranks);
}

void forget(Comm& comm) noexcept {
  drop(*comm.group);
  drop(*comm.errhandler);
  delete &comm;
}

void destroy(Comm& comm) noexcept {
  pml::Pml& pml = *library().pml;
  coll::close_team(comm);
  pml.close_channel(comm.p2p);
  pml.close_channel(comm.coll);
  release_context(comm.context);
  forget(comm);
}

void drop(Errhandler& handler) noexcept {
  if (handler.RefCounted::drop() && handler.predefined_handle == 0) delete &handler;
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Comm_size(MPI_Comm comm, int* size) {
  const Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_size")) return bad;
  *size = on->size;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_size)

int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  const Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_rank")) return bad;
  *rank = on->rank;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_rank)

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  const Comm* a = object_of(comm1);
  const Comm* b = object_of(comm2);
  if (int bad = check_comm(a, "MPI_Comm_compare")) return bad;
  if (int bad = check_comm(b, "MPI_Comm_compare")) return bad;
  if (a == b) {
    *result = MPI_IDENT;
    return MPI_SUCCESS;
  }
  int groups = MPI_UNEQUAL;
  PMPI_Group_compare(handle_of<MPI_Group>(*a->group), handle_of<MPI_Group>(*b->group), &groups);
  *result = groups == MPI_IDENT ? MPI_CONGRUENT : groups;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_compare)

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  const Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_group")) return bad;
  on->group->retain();
  *group = handle_of<MPI_Group>(*on->group);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_group)

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  if (int bad = check_comm(object_of(comm), "MPI_Comm_test_inter")) return bad;
  *flag = 0;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_test_inter)

int PMPI_Comm_get_name(MPI_Comm comm, char* name, int* length) {
  const Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_get_name")) return bad;
  std::memcpy(name, on->name.c_str(), on->name.size() + 1);
  *length = static_cast<int>(on->name.size());
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_get_name)

int PMPI_Comm_set_name(MPI_Comm comm, const char* name) {
  Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_set_name")) return bad;
  on->name.assign(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_set_name)

int PMPI_Comm_free(MPI_Comm* comm) {
  Comm* on = object_of(*comm);
  if (int bad = check_comm(on, "MPI_Comm_free")) return bad;
  if (on->predefined_handle != 0)
    return fail(on, MPI_ERR_COMM, "MPI_Comm_free", "a predefined communicator stays");
  if (int bad = delete_attributes(*on)) return fail(on, bad, "MPI_Comm_free", kNotDeleted);
  flush_send_buffer(on, "MPI_Comm_free");
  drop(*on);
  library().pml->free_given_up();
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_free)

int PMPI_Comm_disconnect(MPI_Comm* comm) {
  return PMPI_Comm_free(comm);
}
HAWSER_MPI_ALIAS(Comm_disconnect)
