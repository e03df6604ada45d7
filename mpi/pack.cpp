// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// MPI_Pack and its kin. A packed message is the bytes of the elements, one after the other.

#include <cstring>
#include <limits>
#include <string>

#include "mpi/type_args.hpp"

namespace hawser::mpi {
namespace {

/// The packed side: `bytes` from `position` must lie in a buffer of `size`.
struct Packed {
  const void* data;
  int size;
  const int* position;
};

int check_items(const char* function, const Comm* comm, const void* items, int count,
                const Datatype* type) noexcept {
  check_running(function);
  if (const int error = check_comm(comm, function)) return error;
  if (const int error = check_count(*comm, count, function)) return error;
  if (const int error = check_type(*comm, type, function)) return error;
  return check_buffer(*comm, items, count, *type, function);
}

int check_packed(const char* function, const Comm& comm, const Packed& packed, std::uint64_t bytes) noexcept {
  if (packed.position == nullptr) return fail(&comm, MPI_ERR_ARG, function, "position is a null pointer");
  if (packed.size < 0 || *packed.position < 0 || *packed.position > packed.size) {
    return fail(&comm, MPI_ERR_ARG, function,
                "position " + std::to_string(*packed.position) + " is not inside of a buffer of " +
                    std::to_string(packed.size) + " bytes");
  }
  const auto room = static_cast<std::uint64_t>(packed.size - *packed.position);
  if (bytes > room) {
    return fail(&comm, MPI_ERR_TRUNCATE, function,
                std::to_string(bytes) + " bytes do not fit: the packed buffer has " + std::to_string(room) +
                    " after its position");
  }
  if (packed.data == nullptr && bytes != 0)
    return fail(&comm, MPI_ERR_BUFFER, function, "the packed buffer is null");
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position,
              MPI_Comm comm) {
  const char* function = "MPI_Pack";
  const Comm* group = object_of(comm);
  const Datatype* type = object_of(datatype);
  if (const int error = check_items(function, group, inbuf, incount, type)) return error;
  const std::uint64_t bytes = type->size * static_cast<std::uint64_t>(incount);
  if (const int error = check_packed(function, *group, {outbuf, outsize, position}, bytes)) return error;
  type->pack(static_cast<std::byte*>(outbuf) + *position, inbuf, 0, bytes);
  *position += static_cast<int>(bytes);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Pack)

int PMPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount,
                MPI_Datatype datatype, MPI_Comm comm) {
  const char* function = "MPI_Unpack";
  const Comm* group = object_of(comm);
  const Datatype* type = object_of(datatype);
  if (const int error = check_items(function, group, outbuf, outcount, type)) return error;
  const std::uint64_t bytes = type->size * static_cast<std::uint64_t>(outcount);
  if (const int error = check_packed(function, *group, {inbuf, insize, position}, bytes)) return error;
  type->unpack(outbuf, static_cast<const std::byte*>(inbuf) + *position, 0, bytes);
  *position += static_cast<int>(bytes);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Unpack)

int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  const char* function = "MPI_Pack_size";
  check_running(function);
  const Comm* group = object_of(comm);
  if (const int error = check_comm(group, function)) return error;
  if (const int error = check_count(*group, incount, function)) return error;
  const Datatype* type = object_of(datatype);
  if (const int error = check_type(*group, type, function)) return error;
  if (size == nullptr) return fail(group, MPI_ERR_ARG, function, "size is a null pointer");
  const Wide bytes = Wide{type->size} * incount;
  *size = bytes <= std::numeric_limits<int>::max() ? static_cast<int>(bytes) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Pack_size)
