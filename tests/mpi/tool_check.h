/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HAWSER_TESTS_MPI_TOOL_CHECK_H
#define HAWSER_TESTS_MPI_TOOL_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the tests of the tool interface share. They must also work where MPI does not run. */
#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)
#define CHECK_EQ(got, wanted)                                                                  \
  do {                                                                                         \
    const long long got_ = (long long)(got), wanted_ = (long long)(wanted);                    \
    if (got_ != wanted_) {                                                                     \
      fprintf(stderr, "%s:%d: %s is %lld, not %s\n", __FILE__, __LINE__, #got, got_, #wanted); \
      abort();                                                                                 \
    }                                                                                          \
  } while (0)
#define CHECK_OK(call) CHECK_EQ(call, MPI_SUCCESS)

static inline int cvar_number(const char* name) {
  int index = -1;
  CHECK_OK(MPI_T_cvar_get_index(name, &index));
  return index;
}

static inline MPI_T_cvar_handle cvar_handle(const char* name, int wanted_count) {
  MPI_T_cvar_handle handle;
  int count = -1;
  CHECK_OK(MPI_T_cvar_handle_alloc(cvar_number(name), NULL, &handle, &count));
  CHECK_EQ(count, wanted_count);
  return handle;
}

static inline int pvar_number(const char* name, int var_class) {
  int index = -1;
  CHECK_OK(MPI_T_pvar_get_index(name, var_class, &index));
  return index;
}

#endif
