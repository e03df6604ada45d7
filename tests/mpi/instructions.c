/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * instructions FILE blocking|nonblocking: rank 0 sends batches of 8-byte messages, rank 1 receives each batch
 * when all of it lies there, so that what is counted is the way of messages and no waiting. They take turns
 * by a word in FILE, made before, with zeros.
 */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kBatches = 64, kBatch = 32 };

static char g_buffers[kBatch][8];
static MPI_Request g_requests[kBatch];

static _Atomic int* turn_in(const char* path) {
  int fd = open(path, O_RDWR);
  void* base = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  close(fd);
  return base;
}

static void send_batch(int blocking) {
  for (int i = 0; i < kBatch; ++i) {
    if (blocking)
      MPI_Send(g_buffers[i], 8, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    else
      MPI_Isend(g_buffers[i], 8, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &g_requests[i]);
  }
  if (!blocking) MPI_Waitall(kBatch, g_requests, MPI_STATUSES_IGNORE);
}

static void receive_batch(void) {
  for (int i = 0; i < kBatch; ++i) MPI_Irecv(g_buffers[i], 8, MPI_CHAR, 0, 7, MPI_COMM_WORLD, &g_requests[i]);
  MPI_Waitall(kBatch, g_requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  _Atomic int* turn = turn_in(argv[1]);
  int blocking = strcmp(argv[2], "blocking") == 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    while (atomic_load(turn) != 2 * batch + rank) sched_yield();
    if (rank == 0) send_batch(blocking);
    if (rank == 1) receive_batch();
    atomic_fetch_add(turn, 1);
  }
  if (rank == 0) printf("%d messages\n", kBatches * kBatch);
  MPI_Finalize();
  return 0;
}
