// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>

#include "framework/base/mutex.hpp"
#include "framework/base/no_destructor.hpp"
#include "mpi/binding.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"

namespace hawser::mpi {

namespace {

/// What a program attaches to communicators under one key.
struct Keyval {
  MPI_Comm_copy_attr_function* copy;
  MPI_Comm_delete_attr_function* remove;
  void* extra;
  bool freed = false;  // no new use; attributes that are there stay
};

constexpr int kFirstKeyval = 4096;  // above the predefined ones

struct Keyvals {
  Mutex<LockRank::kMpi> mutex;
  std::vector<Keyval> entries HAWSER_GUARDED_BY(mutex);

  /// A copy of the entry; false: no such key.
  bool find(int key, Keyval& out) {
    Lock lock(mutex);
    const auto index = static_cast<std::size_t>(key - kFirstKeyval);
    if (key < kFirstKeyval || index >= entries.size()) return false;
    out = entries[index];
    return true;
  }
};

Keyvals& keyvals() {
  static NoDestructor<Keyvals> instance;
  return *instance;
}

/// The attributes that every communicator has. Null: not one of them.
int* predefined(int key) noexcept {
  static int tag_ub = std::numeric_limits<int>::max();
  static int no_host = MPI_PROC_NULL;
  static int any_io = MPI_ANY_SOURCE;
  static int wtime_is_global = 1;  // one machine, one monotonic clock
  static int last_code = MPI_ERR_LASTCODE;
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
      return &last_code;
    case MPI_UNIVERSE_SIZE:
      return &universe;
    default:
      return nullptr;
  }
}

int remove(Comm& comm, int key, void* value) {
  Keyval keyval{};
  if (!keyvals().find(key, keyval) || keyval.remove == MPI_COMM_NULL_DELETE_FN) return MPI_SUCCESS;
  return keyval.remove(handle_of<MPI_Comm>(comm), key, value, keyval.extra);
}

/// The value that was attached; false: none.
bool take(Comm& comm, int key, void** value) {
  Lock lock(keyvals().mutex);
  const auto found = comm.attributes.find(key);
  if (found == comm.attributes.end()) return false;
  *value = found->second;
  comm.attributes.erase(found);
  return true;
}

std::map<int, void*> attributes_of(const Comm& comm) {
  Lock lock(keyvals().mutex);
  return comm.attributes;
}

}  // namespace

int copy_attributes(Comm& from, Comm& to) {
  for (const auto& [key, value] : attributes_of(from)) {
    Keyval keyval{};
    if (!keyvals().find(key, keyval) || keyval.copy == MPI_COMM_NULL_COPY_FN) continue;
    void* copied = value;
    int flag = 1;
    if (keyval.copy != MPI_COMM_DUP_FN) {
      const int error = keyval.copy(handle_of<MPI_Comm>(from), key, keyval.extra, value, &copied, &flag);
      if (error != MPI_SUCCESS) return error;
    }
    if (!flag) continue;
    Lock lock(keyvals().mutex);
    to.attributes[key] = copied;
  }
  return MPI_SUCCESS;
}

void delete_attributes(Comm& comm) noexcept {
  for (const auto& [key, value] : attributes_of(comm)) static_cast<void>(remove(comm, key, value));
  Lock lock(keyvals().mutex);
  comm.attributes.clear();
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove,
                            int* key, void* extra) {
  hawser::Lock lock(keyvals().mutex);
  keyvals().entries.push_back({copy, remove, extra});
  *key = kFirstKeyval + static_cast<int>(keyvals().entries.size()) - 1;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_create_keyval)

int PMPI_Comm_free_keyval(int* key) {
  Keyval keyval{};
  if (!keyvals().find(*key, keyval))
    return fail(nullptr, MPI_ERR_KEYVAL, "MPI_Comm_free_keyval", "no such key");
  hawser::Lock lock(keyvals().mutex);
  keyvals().entries[static_cast<std::size_t>(*key - kFirstKeyval)].freed = true;
  *key = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_free_keyval)

int PMPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_set_attr")) return bad;
  Keyval keyval{};
  if (!keyvals().find(key, keyval) || keyval.freed)
    return fail(on, MPI_ERR_KEYVAL, "MPI_Comm_set_attr", fmt::format("no such key: {}", key));
  void* old = nullptr;
  if (take(*on, key, &old)) {
    if (int bad = remove(*on, key, old)) return bad;
  }
  hawser::Lock lock(keyvals().mutex);
  on->attributes[key] = value;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_set_attr)

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag) {
  Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_get_attr")) return bad;
  void* found = predefined(key);
  if (!found) {
    const auto all = attributes_of(*on);
    const auto it = all.find(key);
    *flag = it != all.end();
    if (!*flag) return MPI_SUCCESS;
    found = it->second;
  }
  *flag = 1;
  std::memcpy(value, &found, sizeof found);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_get_attr)

int PMPI_Attr_get(MPI_Comm comm, int key, void* value, int* flag) {
  return PMPI_Comm_get_attr(comm, key, value, flag);
}
HAWSER_MPI_ALIAS(Attr_get)

int PMPI_Comm_delete_attr(MPI_Comm comm, int key) {
  Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_delete_attr")) return bad;
  void* value = nullptr;
  if (!take(*on, key, &value))
    return fail(on, MPI_ERR_KEYVAL, "MPI_Comm_delete_attr", fmt::format("nothing is attached under {}", key));
  return remove(*on, key, value);
}
HAWSER_MPI_ALIAS(Comm_delete_attr)
