// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// Datatypes made from one other: resized, part of an array, duplicate; commit and free.

#include <memory>
#include <string>

#include "mpi/attached.hpp"
#include "mpi/type_args.hpp"

namespace hawser::mpi {
namespace {

int make_resized(const char* function, bool large, MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                 MPI_Datatype* newtype) noexcept {
  const Datatype* old = object_of(oldtype);
  if (const int error = check_constructor(function, 0, old, newtype)) return error;
  return guarded(function, [&] {
    auto contents = std::make_shared<TypeContents>(MPI_COMBINER_RESIZED, large);
    contents->add_address(lb);
    contents->add_address(extent);
    contents->add_type(*old);
    Datatype* type = resized(*old, lb, extent);
    type->contents = std::move(contents);
    *newtype = handle_of<MPI_Datatype>(*type);
    return MPI_SUCCESS;
  });
}

struct Subarray {
  int dimensions;
  const int* sizes;
  const int* subsizes;
  const int* starts;
  int order;
};

int check_subarray(const char* function, const Subarray& array) noexcept {
  if (array.dimensions < 1) {
    return fail(nullptr, MPI_ERR_DIMS, function,
                "ndims is " + std::to_string(array.dimensions) + ", below 1");
  }
  if (array.sizes == nullptr || array.subsizes == nullptr || array.starts == nullptr) {
    return fail(nullptr, MPI_ERR_ARG, function, "a list of sizes, subsizes or starts is a null pointer");
  }
  if (array.order != MPI_ORDER_C && array.order != MPI_ORDER_FORTRAN) {
    return fail(nullptr, MPI_ERR_ARG, function, "order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
  }
  for (int i = 0; i < array.dimensions; ++i) {
    const int size = array.sizes[i];
    const int subsize = array.subsizes[i];
    const int start = array.starts[i];
    if (size >= 1 && subsize >= 1 && subsize <= size && start >= 0 && start <= size - subsize) continue;
    return fail(nullptr, MPI_ERR_ARG, function,
                "dimension " + std::to_string(i) + ": " + std::to_string(subsize) + " from " +
                    std::to_string(start) + " is not inside of " + std::to_string(size));
  }
  return MPI_SUCCESS;
}

/// From the dimension whose neighbours lie side by side outwards: each is a row of what the one before made.
int make_subarray(const char* function, const Subarray& array, const Datatype& old, MPI_Datatype* newtype) {
  std::unique_ptr<Datatype> row;
  Wide step = old.extent;  // from one index of the dimension to the next, in bytes
  for (int i = 0; i < array.dimensions; ++i) {
    const int d = array.order == MPI_ORDER_C ? array.dimensions - 1 - i : i;
    TypeBuilder builder;
    builder.add({step * array.starts[d], 1, static_cast<std::uint64_t>(array.subsizes[d]), step},
                row ? *row : old);
    row.reset(builder.finish());
    step *= array.sizes[d];
    if (!row || step != static_cast<std::int64_t>(step)) {
      return fail(nullptr, MPI_ERR_ARG, function, "the array's size is 2^62 bytes or more");
    }
  }
  auto contents = std::make_shared<TypeContents>(MPI_COMBINER_SUBARRAY, false);
  contents->add(array.dimensions);
  for (const int* list : {array.sizes, array.subsizes, array.starts}) {
    for (int d = 0; d < array.dimensions; ++d) contents->add(list[d]);
  }
  contents->add(array.order);
  contents->add_type(old);
  Datatype* whole = resized(*row, 0, static_cast<std::int64_t>(step));
  whole->contents = std::move(contents);
  *newtype = handle_of<MPI_Datatype>(*whole);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
  return make_resized("MPI_Type_create_resized", false, oldtype, lb, extent, newtype);
}
HAWSER_MPI_ALIAS(Type_create_resized)

int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) {
  return make_resized("MPI_Type_create_resized_c", true, oldtype, lb, extent, newtype);
}
HAWSER_MPI_ALIAS(Type_create_resized_c)

int PMPI_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[],
                              const int array_of_starts[], int order, MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
  const char* function = "MPI_Type_create_subarray";
  const Datatype* old = object_of(oldtype);
  const Subarray array{ndims, array_of_sizes, array_of_subsizes, array_of_starts, order};
  if (const int error = check_constructor(function, 0, old, newtype)) return error;
  if (const int error = check_subarray(function, array)) return error;
  return guarded(function, [&] { return make_subarray(function, array, *old, newtype); });
}
HAWSER_MPI_ALIAS(Type_create_subarray)

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const char* function = "MPI_Type_dup";
  Datatype* old = object_of(oldtype);
  if (const int error = check_constructor(function, 0, old, newtype)) return error;
  return guarded(function, [&] {
    auto contents = std::make_shared<TypeContents>(MPI_COMBINER_DUP, false);
    contents->add_type(*old);
    Datatype* copy = duplicate(*old);
    copy->contents = std::move(contents);
    if (int error = copy_attributes(*old, *copy)) {
      copy->release();
      return fail(nullptr, error, function, kNotCopied);
    }
    *newtype = handle_of<MPI_Datatype>(*copy);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(Type_dup)

int PMPI_Type_commit(MPI_Datatype* datatype) {
  const char* function = "MPI_Type_commit";
  check_running(function);
  if (const int error = check_out(function, datatype, "datatype")) return error;
  Datatype* type = object_of(*datatype);
  if (const int error = check_handle(function, type)) return error;
  if (!type->committed) type->committed = true;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Type_commit)

int PMPI_Type_free(MPI_Datatype* datatype) {
  const char* function = "MPI_Type_free";
  check_running(function);
  if (const int error = check_out(function, datatype, "datatype")) return error;
  Datatype* type = object_of(*datatype);
  if (const int error = check_handle(function, type)) return error;
  if (type->predefined) return fail(nullptr, MPI_ERR_TYPE, function, type->name + " is predefined and stays");
  if (const int error = delete_attributes(*type)) return fail(nullptr, error, function, kNotDeleted);
  type->release();  // transfers under way hold references of their own
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Type_free)
