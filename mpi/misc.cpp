// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi/binding.hpp"
#include "mpi/errors.hpp"
#include "mpi/status.hpp"

using namespace hawser::mpi;

double PMPI_Wtime() {
  return static_cast<double>(hawser::now_ns()) * 1e-9;
}
HAWSER_MPI_ALIAS(Wtime)

double PMPI_Wtick() {
  using Period = hawser::Clock::period;
  return static_cast<double>(Period::num) / static_cast<double>(Period::den);
}
HAWSER_MPI_ALIAS(Wtick)

int PMPI_Get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Get_version)

int PMPI_Abi_get_version(int* major, int* minor) {
  *major = MPI_ABI_VERSION;
  *minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Abi_get_version)

int PMPI_Get_library_version(char* version, int* length) {
  *length = std::snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Hawser %s, MPI ABI %d.%d", HAWSER_VERSION,
                          MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Get_library_version)

int PMPI_Get_processor_name(char* name, int* length) {
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  if (gethostname(name, MPI_MAX_PROCESSOR_NAME - 1) != 0) std::strcpy(name, "unknown");
  *length = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Get_processor_name)

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info, void* base) {
  if (size < 0) return fail(nullptr, MPI_ERR_ARG, "MPI_Alloc_mem", fmt::format("size is {}", size));
  void* memory = nullptr;
  if (posix_memalign(&memory, 4096, size == 0 ? 1 : static_cast<std::size_t>(size)) != 0) {
    return fail(nullptr, MPI_ERR_NO_MEM, "MPI_Alloc_mem", fmt::format("no {} bytes", size));
  }
  std::memcpy(base, &memory, sizeof memory);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Alloc_mem)

int PMPI_Free_mem(void* base) {
  std::free(base);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Free_mem)

int PMPI_Pcontrol(const int, ...) {
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Pcontrol)

int PMPI_Status_set_cancelled(MPI_Status* status, int flag) {
  set_status_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Status_set_cancelled)

// The public members of a status, one function each way.
#define HAWSER_STATUS_MEMBER(name, MEMBER)                           \
  int PMPI_Status_get_##name(const MPI_Status* status, int* value) { \
    *value = status->MEMBER;                                         \
    return MPI_SUCCESS;                                              \
  }                                                                  \
  HAWSER_MPI_ALIAS(Status_get_##name)                                \
  int PMPI_Status_set_##name(MPI_Status* status, int value) {        \
    status->MEMBER = value;                                          \
    return MPI_SUCCESS;                                              \
  }                                                                  \
  HAWSER_MPI_ALIAS(Status_set_##name)

HAWSER_STATUS_MEMBER(source, MPI_SOURCE)
HAWSER_STATUS_MEMBER(tag, MPI_TAG)
HAWSER_STATUS_MEMBER(error, MPI_ERROR)
