// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "mpi/attached.hpp"
#include "mpi/type_args.hpp"

namespace hawser::mpi {

namespace {

struct OfTypes {
  using Object = Datatype;
  using Handle = MPI_Datatype;
  using Copy = MPI_Type_copy_attr_function;
  using Remove = MPI_Type_delete_attr_function;
  static inline Copy* const kDuplicate = MPI_TYPE_DUP_FN;
  static constexpr int kFirstKey = 1 << 24;  // no key of a communicator is one
};

Attached<OfTypes>& attached() {
  return Attached<OfTypes>::all();
}

}  // namespace

int copy_attributes(Datatype& from, Datatype& to) {
  return attached().copy_all(from, to);
}

int delete_attributes(Datatype& type) noexcept {
  return attached().remove_all(type);
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove,
                            int* key, void* extra) {
  *key = attached().create(copy, remove, extra);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Type_create_keyval)

int PMPI_Type_free_keyval(int* key) {
  if (!attached().free_key(*key)) return fail(nullptr, MPI_ERR_KEYVAL, "MPI_Type_free_keyval", "no such key");
  *key = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Type_free_keyval)

int PMPI_Type_set_attr(MPI_Datatype datatype, int key, void* value) {
  const char* function = "MPI_Type_set_attr";
  Datatype* type = object_of(datatype);
  if (int bad = check_handle(function, type)) return bad;
  if (!attached().usable(key))
    return fail(nullptr, MPI_ERR_KEYVAL, function, fmt::format("no such key: {}", key));
  bool found = false;
  if (int bad = attached().remove(*type, key, found)) return fail(nullptr, bad, function, kNotDeleted);
  attached().set(*type, key, value);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Type_set_attr)

int PMPI_Type_get_attr(MPI_Datatype datatype, int key, void* value, int* flag) {
  const char* function = "MPI_Type_get_attr";
  const Datatype* type = object_of(datatype);
  if (int bad = check_handle(function, type)) return bad;
  void* found = nullptr;
  *flag = attached().get(*type, key, found);
  if (*flag) std::memcpy(value, &found, sizeof found);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Type_get_attr)

int PMPI_Type_delete_attr(MPI_Datatype datatype, int key) {
  const char* function = "MPI_Type_delete_attr";
  Datatype* type = object_of(datatype);
  if (int bad = check_handle(function, type)) return bad;
  bool found = false;
  if (int bad = attached().remove(*type, key, found)) return fail(nullptr, bad, function, kNotDeleted);
  if (found) return MPI_SUCCESS;
  return fail(nullptr, MPI_ERR_KEYVAL, function, fmt::format("nothing is attached under {}", key));
}
HAWSER_MPI_ALIAS(Type_delete_attr)
