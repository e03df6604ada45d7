/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads use the tool interface while MPI starts, communicates and ends. */
#include <pthread.h>

#include "tests/mpi/tool_check.h"

enum { kThreads = 3, kRounds = 60, kMost = 4096 };

static void read_some(int round) {
  int count, number;
  MPI_T_cvar_handle cvar;
  char text[8192];
  CHECK_OK(MPI_T_cvar_get_num(&number));
  if (number == 0) return; /* MPI starts just now */
  CHECK_OK(MPI_T_cvar_handle_alloc(round % number, NULL, &cvar, &count));
  CHECK_OK(MPI_T_cvar_read(cvar, text));
  const int wrote = MPI_T_cvar_write(cvar, text);
  CHECK(wrote == MPI_SUCCESS || wrote == MPI_T_ERR_CVAR_SET_NOT_NOW || wrote == MPI_T_ERR_CVAR_SET_NEVER);
  CHECK_OK(MPI_T_cvar_handle_free(&cvar));
}

static void count_some(int round) {
  int number, count;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle pvar;
  static _Thread_local unsigned long long values[kMost];
  CHECK_OK(MPI_T_pvar_get_num(&number));
  if (number == 0) return;
  CHECK_OK(MPI_T_pvar_session_create(&session));
  MPI_Comm world = MPI_COMM_WORLD;
  const int bad = MPI_T_pvar_handle_alloc(session, round % number, &world, &pvar, &count);
  if (bad == MPI_T_ERR_INVALID_HANDLE) { /* MPI has ended, and its communicators with it */
    CHECK_OK(MPI_T_pvar_session_free(&session));
    return;
  }
  CHECK_OK(bad);
  CHECK(count <= kMost);
  CHECK_OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
  CHECK_OK(MPI_T_pvar_read(session, pvar, values));
  CHECK_OK(MPI_T_pvar_session_free(&session));
}

static void* use(void* unused) {
  for (int round = 0; round < kRounds; ++round) {
    int provided;
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    read_some(round);
    count_some(round);
    CHECK_OK(MPI_T_finalize());
  }
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[kThreads];
  int provided, rank, size, word = 0;
  for (int i = 0; i < kThreads; ++i) CHECK_EQ(pthread_create(&threads[i], NULL, use, NULL), 0);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 200; ++i) {
    MPI_Sendrecv_replace(&word, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  for (int i = 0; i < kThreads; ++i) CHECK_EQ(pthread_join(threads[i], NULL), 0);
  return 0;
}
