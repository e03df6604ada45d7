// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mpi/datatype.hpp"
#include "mpi/include/mpi.h"
#include "mpi/objects.hpp"
#include "mpi/op.hpp"

namespace hawser::mpi {

// Handles are pointers to incomplete types: small values for the predefined objects, as the ABI fixes them,
// else the addresses of our objects.

/// Objects of the predefined handles [first, first + N); null where there is none. Filled at start, or
/// constant.
template <class Object, std::uintptr_t First, std::size_t N>
struct PredefinedTable {
  Object* objects[N] = {};
  static constexpr std::uintptr_t kFirst = First;

  template <class Handle>
  Object* find(Handle handle) const noexcept {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if (value - First < N) return objects[value - First];
    return value < kSmallest ? nullptr : reinterpret_cast<Object*>(handle);
  }
  void set(std::uintptr_t value, Object& object) noexcept {
    objects[value - First] = &object;
    object.predefined_handle = value;
  }

 private:
  static constexpr std::uintptr_t kSmallest = 4096;  // no object lies in the first page
};

extern PredefinedTable<Comm, 256, 4> g_comms;              // mpi/comm.cpp
extern PredefinedTable<Group, 264, 2> g_groups;            // mpi/group.cpp
extern PredefinedTable<Errhandler, 320, 4> g_errhandlers;  // mpi/errors.cpp
extern PredefinedTable<Datatype, 512, 256> g_types;        // mpi/predefined.cpp
extern PredefinedTable<Op, 32, 32> g_ops;                  // mpi/op.cpp

// The object behind a handle; null: not a valid one.
inline Comm* object_of(MPI_Comm handle) noexcept {
  return g_comms.find(handle);
}
inline Group* object_of(MPI_Group handle) noexcept {
  return g_groups.find(handle);
}
inline Errhandler* object_of(MPI_Errhandler handle) noexcept {
  return g_errhandlers.find(handle);
}
inline Datatype* object_of(MPI_Datatype handle) noexcept {
  return g_types.find(handle);
}
inline Op* object_of(MPI_Op handle) noexcept {
  return g_ops.find(handle);
}
/// Requests are the PML's own objects; null for MPI_REQUEST_NULL.
inline pml::Request* object_of(MPI_Request handle) noexcept {
  return handle == MPI_REQUEST_NULL ? nullptr : reinterpret_cast<pml::Request*>(handle);
}
inline MPI_Request handle_of(pml::Request* request) noexcept {
  return reinterpret_cast<MPI_Request>(request);
}

/// handle_of<MPI_Comm>(comm): the predefined value, or the address.
template <class Handle, class Object>
Handle handle_of(const Object& object) noexcept {
  return reinterpret_cast<Handle>(object.predefined_handle != 0 ? object.predefined_handle
                                                                : reinterpret_cast<std::uintptr_t>(&object));
}

}  // namespace hawser::mpi
