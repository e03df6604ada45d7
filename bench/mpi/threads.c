/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two ranks, two threads each, thread i with thread i: half round trips in us and messages a second of 8
 * bytes, over a communicator of each pair's own and over a shared one (told apart by tag).
 */
#include <pthread.h>

#include "bench/mpi/clock.h"

enum { kThreads = 2, kWindow = 64, kBytes = 8 };

static int g_rank;
static MPI_Comm g_own[kThreads];

struct work {
  int index, shared, rate;
  long count;
};

static void bounce(const struct work* w, MPI_Comm comm) {
  char buffer[kBytes] = {0};
  for (long i = 0; i < w->count; ++i) {
    if (g_rank == 1) MPI_Recv(buffer, kBytes, MPI_CHAR, 0, w->index, comm, MPI_STATUS_IGNORE);
    MPI_Send(buffer, kBytes, MPI_CHAR, 1 - g_rank, w->index, comm);
    if (g_rank == 0) MPI_Recv(buffer, kBytes, MPI_CHAR, 1, w->index, comm, MPI_STATUS_IGNORE);
  }
}

static void pour(const struct work* w, MPI_Comm comm) {
  char buffer[kWindow][kBytes] = {{0}};
  MPI_Request requests[kWindow];
  for (long i = 0; i < w->count; ++i) {
    for (int k = 0; k < kWindow; ++k) {
      if (g_rank == 0) MPI_Isend(buffer[k], kBytes, MPI_CHAR, 1, w->index, comm, &requests[k]);
      if (g_rank == 1) MPI_Irecv(buffer[k], kBytes, MPI_CHAR, 0, w->index, comm, &requests[k]);
    }
    MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
    if (g_rank == 1) MPI_Send(buffer, 0, MPI_CHAR, 0, w->index, comm);
    if (g_rank == 0) MPI_Recv(buffer, 0, MPI_CHAR, 1, w->index, comm, MPI_STATUS_IGNORE);
  }
}

static void* run(void* context) {
  const struct work* w = context;
  MPI_Comm comm = w->shared ? MPI_COMM_WORLD : g_own[w->index];
  if (w->rate) {
    pour(w, comm);
  } else {
    bounce(w, comm);
  }
  return NULL;
}

static void all_threads(long count, void* context) {
  const struct work* model = context;
  pthread_t threads[kThreads];
  struct work works[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    works[i] = *model;
    works[i].index = i;
    works[i].count = count;
    if (pthread_create(&threads[i], NULL, run, &works[i]) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  int provided, size;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2 || provided < MPI_THREAD_MULTIPLE) {
    fprintf(stderr, "threads: two ranks, and MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 1;
  }
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &g_own[i]);
  for (int shared = 0; shared < 2; ++shared) {
    const char* name = shared ? "shared" : "own";
    struct work model = {0, shared, 0, 0};
    double half = bench_time(MPI_COMM_WORLD, all_threads, &model) / 2;
    if (g_rank == 0) BENCH_SAY("threads.latency.%s %.3f\n", name, half * 1e6);
    model.rate = 1;
    double round = bench_time(MPI_COMM_WORLD, all_threads, &model);
    if (g_rank == 0) BENCH_SAY("threads.rate.%s %.0f\n", name, kThreads * kWindow / round);
  }
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&g_own[i]);
  MPI_Finalize();
  return 0;
}
