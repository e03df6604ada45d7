// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the C functions on datatypes have in common.

#include <memory>
#include <string>

#include "mpi/binding.hpp"
#include "mpi/errors.hpp"
#include "mpi/type_build.hpp"
#include "mpi/type_contents.hpp"

namespace hawser::mpi {

/// What constructors check of all arguments alike.
inline int check_constructor(const char* function, MPI_Count count, const Datatype* old,
                             const void* newtype) noexcept {
  check_running(function);
  if (count < 0)
    return fail(nullptr, MPI_ERR_COUNT, function, "count is " + std::to_string(count) + ", below 0");
  if (old == nullptr)
    return fail(nullptr, MPI_ERR_TYPE, function, "the old type is MPI_DATATYPE_NULL or not a datatype");
  if (newtype == nullptr) return fail(nullptr, MPI_ERR_ARG, function, "newtype is a null pointer");
  return MPI_SUCCESS;
}

inline int check_block(const char* function, MPI_Count length) noexcept {
  if (length >= 0) return MPI_SUCCESS;
  return fail(nullptr, MPI_ERR_ARG, function, "a block length is " + std::to_string(length) + ", below 0");
}

/// Hands the finished type out.
inline int give(const char* function, TypeBuilder& builder, std::shared_ptr<const TypeContents> contents,
                MPI_Datatype* newtype) {
  Datatype* type = builder.finish();
  if (type == nullptr) {
    return fail(nullptr, MPI_ERR_ARG, function, "the type's size or a displacement is 2^62 bytes or more");
  }
  type->contents = std::move(contents);
  *newtype = handle_of<MPI_Datatype>(*type);
  return MPI_SUCCESS;
}

/// What programs attached to a type (type_attributes.cpp). MPI_SUCCESS or a copy function's error.
int copy_attributes(Datatype& from, Datatype& to);
/// MPI_SUCCESS, or the error of the first that does not go.
int delete_attributes(Datatype& type) noexcept;

/// For functions on one type: null is an error.
inline int check_handle(const char* function, const Datatype* type) noexcept {
  if (type != nullptr) return MPI_SUCCESS;
  return fail(nullptr, MPI_ERR_TYPE, function, "the datatype is MPI_DATATYPE_NULL or not a datatype");
}

}  // namespace hawser::mpi
