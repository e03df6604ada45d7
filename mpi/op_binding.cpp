// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// The C functions on operations.

#include <new>
#include <string>

#include "mpi/binding.hpp"
#include "mpi/errors.hpp"

namespace hawser::mpi {
namespace {

int check_handle(const char* function, const Op* op) noexcept {
  if (op != nullptr) return MPI_SUCCESS;
  return fail(nullptr, MPI_ERR_OP, function, "the operation is MPI_OP_NULL or not an operation");
}

int check_reduction(const char* function, const void* in, const void* inout, int count, const Datatype* type,
                    const Op* op) noexcept {
  if (count < 0)
    return fail(nullptr, MPI_ERR_COUNT, function, "count is " + std::to_string(count) + ", below 0");
  if (type == nullptr) return fail(nullptr, MPI_ERR_TYPE, function, "the datatype is not valid");
  if (!type->committed) {
    return fail(nullptr, MPI_ERR_TYPE, function,
                "the datatype was not committed: call MPI_Type_commit first");
  }
  if (const int error = check_handle(function, op)) return error;
  if (!op->defined_on(*type)) {
    return fail(
        nullptr, MPI_ERR_OP, function,
        "the operation is not defined on " + (type->name.empty() ? "a derived datatype" : type->name));
  }
  if (count == 0 || !type->predefined || (in != nullptr && inout != nullptr)) return MPI_SUCCESS;
  return fail(nullptr, MPI_ERR_BUFFER, function, "a buffer is null, but count is " + std::to_string(count));
}

}  // namespace
}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  const char* function = "MPI_Op_create";
  check_running(function);
  if (user_fn == nullptr || op == nullptr) return fail(nullptr, MPI_ERR_ARG, function, "a null pointer");
  Op* object = new (std::nothrow) Op;
  if (object == nullptr) return fail(nullptr, MPI_ERR_NO_MEM, function, "no memory for the operation");
  object->commutative = commute != 0;
  object->user_function = reinterpret_cast<void*>(user_fn);
  *op = handle_of<MPI_Op>(*object);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Op_create)

int PMPI_Op_free(MPI_Op* op) {
  const char* function = "MPI_Op_free";
  check_running(function);
  if (op == nullptr) return fail(nullptr, MPI_ERR_ARG, function, "op is a null pointer");
  const Op* object = object_of(*op);
  if (const int error = check_handle(function, object)) return error;
  if (object->kind != Op::Kind::kUser)
    return fail(nullptr, MPI_ERR_OP, function, "the operation is predefined and stays");
  if (object->drop()) delete object;  // collectives under way hold references of their own
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Op_free)

int PMPI_Op_commutative(MPI_Op op, int* commute) {
  const char* function = "MPI_Op_commutative";
  const Op* object = object_of(op);
  if (const int error = check_handle(function, object)) return error;
  if (commute == nullptr) return fail(nullptr, MPI_ERR_ARG, function, "commute is a null pointer");
  *commute = object->commutative ? 1 : 0;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Op_commutative)

int PMPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  const char* function = "MPI_Reduce_local";
  check_running(function);
  const Datatype* type = object_of(datatype);
  const Op* object = object_of(op);
  if (const int error = check_reduction(function, inbuf, inoutbuf, count, type, object)) return error;
  if (count != 0) object->apply(inbuf, inoutbuf, static_cast<std::uint64_t>(count), *type);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Reduce_local)
