/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Many barriers: each is left only after all have come to it. argv[1]: how many. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Every so often the members pass a count of the barriers they have left from one to the next: nobody may
   have left one that another has not come to. */
static void check_order(int rank, int size, long turn) {
  long before[1] = {turn}, after[1] = {-1};
  MPI_Sendrecv(before, 1, MPI_LONG, (rank + 1) % size, 7, after, 1, MPI_LONG, (rank + size - 1) % size, 7,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (after[0] != turn) {
    fprintf(stderr, "rank %d: neighbour is at barrier %ld, this one at %ld\n", rank, after[0], turn);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* A message sent before a barrier has been sent when the barrier is left. */
static void check_barrier_holds(int rank, int size, int blocking) {
  const int late = size - 1;
  int token = 42;
  MPI_Request request = MPI_REQUEST_NULL, sent = MPI_REQUEST_NULL;
  if (rank == late && size > 1) MPI_Isend(&token, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &sent);
  if (blocking) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 0 && size > 1) {
    MPI_Recv(&token, 1, MPI_INT, late, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  const long turns = argc > 1 ? atol(argv[1]) : 10000;
  int rank, size;
  double start;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_barrier_holds(rank, size, 1);
  check_barrier_holds(rank, size, 0);
  start = MPI_Wtime();
  for (long turn = 0; turn < turns; ++turn) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (turn % 500 == 0) check_order(rank, size, turn);
  }
  if (rank == 0)
    printf("%ld barriers of %d: %.2f us each\n", turns, size, (MPI_Wtime() - start) * 1e6 / turns);
  MPI_Finalize();
  return 0;
}
