/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two ranks. Rank 1 waits in a receive for 10 ms and longer before each message: how much CPU it used in % of
 * the wait after its first 10 ms (from one long wait), and how long after the send it had the message, in us
 * (median).
 */
#include <sys/resource.h>
#include <time.h>

#include "bench/mpi/clock.h"

enum { kWakes = 31 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
static double cpu(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}
static void pause_for(double seconds) {
  struct timespec t = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}
static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Waits that differ by a second: what the first 10 ms cost drops out. */
static double used_while_waiting(int rank) {
  double used[2], begin = 0;
  for (int i = 0; i < 2; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) pause_for(0.1 + i);
    begin = cpu();
    if (rank == 0) MPI_Send(&begin, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
    double sent;
    if (rank == 1) MPI_Recv(&sent, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    used[i] = cpu() - begin;
  }
  return 100 * (used[1] - used[0]);
}

int main(int argc, char** argv) {
  int rank;
  double delays[kWakes];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double percent = used_while_waiting(rank);
  for (int i = 0; i < kWakes; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) pause_for(0.02);
    double sent = now();
    if (rank == 0) MPI_Send(&sent, 1, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&sent, 1, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    delays[i] = now() - sent;
  }
  if (rank == 1) {
    qsort(delays, kWakes, sizeof delays[0], ascending);
    double results[2] = {percent, delays[kWakes / 2] * 1e6};
    MPI_Send(results, 2, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
  } else {
    double results[2];
    MPI_Recv(results, 2, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("waiting.cpu %.3f\nwaiting.wake %.2f\n", results[0], results[1]);
  }
  MPI_Finalize();
  return 0;
}
