// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>

#include "mpi/attached.hpp"
#include "mpi/binding.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_codes.hpp"
#include "mpi/errors.hpp"

namespace hawser::mpi {

namespace {

struct OfComms {
  using Object = Comm;
  using Handle = MPI_Comm;
  using Copy = MPI_Comm_copy_attr_function;
  using Remove = MPI_Comm_delete_attr_function;
  static inline Copy* const kDuplicate = MPI_COMM_DUP_FN;
  static constexpr int kFirstKey = 4096;  // above the predefined ones
};

Attached<OfComms>& attached() {
  return Attached<OfComms>::all();
}

/// The attributes that every communicator has. Null: not one of them.
int* predefined(int key) noexcept {
  static int tag_ub = std::numeric_limits<int>::max();
  static int no_host = MPI_PROC_NULL;
  static int any_io = MPI_ANY_SOURCE;
  static int wtime_is_global = 1;  // one machine, one monotonic clock
  static int universe = library().world->size;
  switch (key) {
    case MPI_TAG_UB:
      return &tag_ub;
    case MPI_HOST:
      return &no_host;
    case MPI_IO:
      return &any_io;
    case MPI_WTIME_IS_GLOBAL:
      return &wtime_is_global;
    case MPI_LASTUSEDCODE:
      return last_used_code();
    case MPI_UNIVERSE_SIZE:
      return &universe;
    default:
      return nullptr;
  }
}

}  // namespace

int copy_attributes(Comm& from, Comm& to) {
  return attached().copy_all(from, to);
}

int delete_attributes(Comm& comm) noexcept {
  return attached().remove_all(comm);
}

void drop_attributes(Comm& comm) noexcept {
  attached().drop_all(comm);
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove,
                            int* key, void* extra) {
  *key = attached().create(copy, remove, extra);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_create_keyval)

int PMPI_Comm_free_keyval(int* key) {
  if (!attached().free_key(*key)) return fail(nullptr, MPI_ERR_KEYVAL, "MPI_Comm_free_keyval", "no such key");
  *key = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_free_keyval)

int PMPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_set_attr")) return bad;
  if (!attached().usable(key))
    return fail(on, MPI_ERR_KEYVAL, "MPI_Comm_set_attr", fmt::format("no such key: {}", key));
  bool found = false;
  if (int bad = attached().remove(*on, key, found)) return fail(on, bad, "MPI_Comm_set_attr", kNotDeleted);
  attached().set(*on, key, value);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_set_attr)

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag) {
  Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_get_attr")) return bad;
  void* found = predefined(key);
  *flag = found || attached().get(*on, key, found);
  if (*flag) std::memcpy(value, &found, sizeof found);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_get_attr)

int PMPI_Comm_delete_attr(MPI_Comm comm, int key) {
  Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_delete_attr")) return bad;
  bool found = false;
  if (int bad = attached().remove(*on, key, found)) return fail(on, bad, "MPI_Comm_delete_attr", kNotDeleted);
  if (found) return MPI_SUCCESS;
  return fail(on, MPI_ERR_KEYVAL, "MPI_Comm_delete_attr", fmt::format("nothing is attached under {}", key));
}
HAWSER_MPI_ALIAS(Comm_delete_attr)

// The names that MPI had for them first.

int PMPI_Attr_get(MPI_Comm comm, int key, void* value, int* flag) {
  return PMPI_Comm_get_attr(comm, key, value, flag);
}
HAWSER_MPI_ALIAS(Attr_get)

int PMPI_Attr_put(MPI_Comm comm, int key, void* value) {
  return PMPI_Comm_set_attr(comm, key, value);
}
HAWSER_MPI_ALIAS(Attr_put)

int PMPI_Attr_delete(MPI_Comm comm, int key) {
  return PMPI_Comm_delete_attr(comm, key);
}
HAWSER_MPI_ALIAS(Attr_delete)

int PMPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* remove, int* key, void* extra) {
  return PMPI_Comm_create_keyval(copy, remove, key, extra);
}
HAWSER_MPI_ALIAS(Keyval_create)

int PMPI_Keyval_free(int* key) {
  return PMPI_Comm_free_keyval(key);
}
HAWSER_MPI_ALIAS(Keyval_free)
