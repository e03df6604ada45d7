// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// How many items, or basic elements, a received message holds.

#include <limits>
#include <string>

#include "mpi/status.hpp"
#include "mpi/type_args.hpp"

namespace hawser::mpi {
namespace {

constexpr std::uint64_t kUndefined = std::numeric_limits<std::uint64_t>::max();

/// Undefined: not a whole number of items.
std::uint64_t items_in(std::uint64_t bytes, const Datatype& type) noexcept {
  if (type.size == 0) return bytes == 0 ? 0 : kUndefined;
  return bytes % type.size == 0 ? bytes / type.size : kUndefined;
}

/// Undefined: ends inside of an element.
std::uint64_t elements_in(std::uint64_t bytes, const Datatype& type) noexcept {
  if (type.size == 0) return bytes == 0 ? 0 : kUndefined;
  const std::uint64_t rest = bytes % type.size;
  const Signature::Prefix part = type.signature->of_bytes(rest);
  return part.bytes == rest ? bytes / type.size * type.elements + part.elements : kUndefined;
}

int check(const char* function, const MPI_Status* status, const Datatype* type, const void* count) noexcept {
  if (const int error = check_out(function, status, "status")) return error;
  if (const int error = check_handle(function, type)) return error;
  return check_out(function, count, "count");
}

template <class Integer>
int get_count(const char* function, const MPI_Status* status, MPI_Datatype datatype,
              Integer* count) noexcept {
  const Datatype* type = object_of(datatype);
  if (const int error = check(function, status, type, count)) return error;
  *count = narrowed<Integer>(items_in(status_bytes(*status), *type));
  return MPI_SUCCESS;
}

template <class Integer>
int get_elements(const char* function, const MPI_Status* status, MPI_Datatype datatype,
                 Integer* count) noexcept {
  const Datatype* type = object_of(datatype);
  if (const int error = check(function, status, type, count)) return error;
  *count = narrowed<Integer>(elements_in(status_bytes(*status), *type));
  return MPI_SUCCESS;
}

int set_elements(const char* function, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) noexcept {
  const Datatype* type = object_of(datatype);
  if (const int error = check(function, status, type, status)) return error;
  if (count < 0)
    return fail(nullptr, MPI_ERR_COUNT, function, "count is " + std::to_string(count) + ", below 0");
  const auto elements = static_cast<std::uint64_t>(count);
  if (type->elements == 0) {
    if (elements == 0) return set_status_bytes(*status, 0), MPI_SUCCESS;
    return fail(nullptr, MPI_ERR_ARG, function,
                "the datatype has no elements, but count is " + std::to_string(count));
  }
  const std::uint64_t rest = type->signature->of_elements(elements % type->elements).bytes;
  set_status_bytes(*status, elements / type->elements * type->size + rest);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return get_count("MPI_Get_count", status, datatype, count);
}
HAWSER_MPI_ALIAS(Get_count)

int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get_count("MPI_Get_count_c", status, datatype, count);
}
HAWSER_MPI_ALIAS(Get_count_c)

int PMPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return get_elements("MPI_Get_elements", status, datatype, count);
}
HAWSER_MPI_ALIAS(Get_elements)

int PMPI_Get_elements_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get_elements("MPI_Get_elements_c", status, datatype, count);
}
HAWSER_MPI_ALIAS(Get_elements_c)

int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get_elements("MPI_Get_elements_x", status, datatype, count);
}
HAWSER_MPI_ALIAS(Get_elements_x)

int PMPI_Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count) {
  return set_elements("MPI_Status_set_elements", status, datatype, count);
}
HAWSER_MPI_ALIAS(Status_set_elements)

int PMPI_Status_set_elements_c(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return set_elements("MPI_Status_set_elements_c", status, datatype, count);
}
HAWSER_MPI_ALIAS(Status_set_elements_c)

int PMPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return set_elements("MPI_Status_set_elements_x", status, datatype, count);
}
HAWSER_MPI_ALIAS(Status_set_elements_x)
