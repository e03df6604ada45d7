// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// Sizes, bounds and names of datatypes; addresses.

#include <cstring>
#include <string>

#include "mpi/type_args.hpp"

namespace hawser::mpi {
namespace {

template <class Integer>
int get_size(const char* function, MPI_Datatype datatype, Integer* size) noexcept {
  const Datatype* type = object_of(datatype);
  if (const int error = check_handle(function, type)) return error;
  if (const int error = check_out(function, size, "size")) return error;
  *size = narrowed<Integer>(type->size);
  return MPI_SUCCESS;
}

template <class Integer>
int get_bounds(const char* function, MPI_Datatype datatype, std::int64_t Datatype::*first,
               std::int64_t Datatype::*length, Integer* lb, Integer* extent) noexcept {
  const Datatype* type = object_of(datatype);
  if (const int error = check_handle(function, type)) return error;
  if (const int error = check_out(function, lb, "lb")) return error;
  if (const int error = check_out(function, extent, "extent")) return error;
  *lb = static_cast<Integer>(type->*first);
  *extent = static_cast<Integer>(type->*length);
  return MPI_SUCCESS;
}

template <class Integer>
int get_extent(const char* function, MPI_Datatype datatype, Integer* lb, Integer* extent) noexcept {
  return get_bounds(function, datatype, &Datatype::lb, &Datatype::extent, lb, extent);
}

template <class Integer>
int get_true_extent(const char* function, MPI_Datatype datatype, Integer* lb, Integer* extent) noexcept {
  return get_bounds(function, datatype, &Datatype::true_lb, &Datatype::true_extent, lb, extent);
}

}  // namespace
}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Type_size(MPI_Datatype datatype, int* size) {
  return get_size("MPI_Type_size", datatype, size);
}
HAWSER_MPI_ALIAS(Type_size)

int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count* size) {
  return get_size("MPI_Type_size_c", datatype, size);
}
HAWSER_MPI_ALIAS(Type_size_c)

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size) {
  return get_size("MPI_Type_size_x", datatype, size);
}
HAWSER_MPI_ALIAS(Type_size_x)

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return get_extent("MPI_Type_get_extent", datatype, lb, extent);
}
HAWSER_MPI_ALIAS(Type_get_extent)

int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return get_extent("MPI_Type_get_extent_c", datatype, lb, extent);
}
HAWSER_MPI_ALIAS(Type_get_extent_c)

int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return get_extent("MPI_Type_get_extent_x", datatype, lb, extent);
}
HAWSER_MPI_ALIAS(Type_get_extent_x)

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent) {
  return get_true_extent("MPI_Type_get_true_extent", datatype, true_lb, true_extent);
}
HAWSER_MPI_ALIAS(Type_get_true_extent)

int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return get_true_extent("MPI_Type_get_true_extent_c", datatype, true_lb, true_extent);
}
HAWSER_MPI_ALIAS(Type_get_true_extent_c)

int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return get_true_extent("MPI_Type_get_true_extent_x", datatype, true_lb, true_extent);
}
HAWSER_MPI_ALIAS(Type_get_true_extent_x)

int PMPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  const char* function = "MPI_Type_get_name";
  const Datatype* type = object_of(datatype);
  static const std::string kNullName = "MPI_DATATYPE_NULL";
  if (type == nullptr && datatype != MPI_DATATYPE_NULL) return check_handle(function, type);
  if (const int error = check_out(function, type_name, "type_name")) return error;
  if (const int error = check_out(function, resultlen, "resultlen")) return error;
  const std::string& name = type == nullptr ? kNullName : type->name;
  std::memcpy(type_name, name.c_str(), name.size() + 1);
  *resultlen = static_cast<int>(name.size());
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Type_get_name)

int PMPI_Type_set_name(MPI_Datatype datatype, const char* type_name) {
  const char* function = "MPI_Type_set_name";
  check_running(function);
  Datatype* type = object_of(datatype);
  if (const int error = check_handle(function, type)) return error;
  if (const int error = check_out(function, type_name, "type_name")) return error;
  return guarded(function, [&] {
    type->name.assign(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1));
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(Type_set_name)

int PMPI_Get_address(const void* location, MPI_Aint* address) {
  if (const int error = check_out("MPI_Get_address", address, "address")) return error;
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Get_address)

// Addresses wrap, as the standard wants: the sum is that of unsigned numbers.
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}
HAWSER_MPI_ALIAS(Aint_add)

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}
HAWSER_MPI_ALIAS(Aint_diff)
