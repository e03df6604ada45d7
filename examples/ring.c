/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A number goes around all ranks. Rank 0 takes one off it each time it comes by; a rank that has passed a 0
   on is done. */
#include <mpi.h>
#include <stdio.h>

enum { kRounds = 10, kTag = 201 };

int main(int argc, char** argv) {
  int rank, size, left = kRounds;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;

  if (rank == 0) {
    printf("Rank 0 sends %d around a ring of %d\n", left, size);
    MPI_Send(&left, 1, MPI_INT, next, kTag, MPI_COMM_WORLD);
  }
  while (left > 0) {
    MPI_Recv(&left, 1, MPI_INT, previous, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
      --left;
      printf("Rank 0 took one off: %d\n", left);
    }
    MPI_Send(&left, 1, MPI_INT, next, kTag, MPI_COMM_WORLD);
  }
  if (rank == 0) MPI_Recv(&left, 1, MPI_INT, previous, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("Rank %d is done\n", rank);
  MPI_Finalize();
  return 0;
}
