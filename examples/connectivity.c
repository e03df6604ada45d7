/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Every pair of ranks exchanges a message, one pair after the other: shows which two cannot talk.
   Usage: connectivity [-v] */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* The other side's number must come back, and not our own. Gives 1 if it does. */
static int exchange(int me, int peer) {
  int theirs = -1;
  MPI_Sendrecv(&me, 1, MPI_INT, peer, 0, &theirs, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (theirs == peer) return 1;
  printf("Rank %d got %d from rank %d\n", me, theirs, peer);
  return 0;
}

int main(int argc, char** argv) {
  int rank, size, good = 1, all_good;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int verbose = argc > 1 && strcmp(argv[1], "-v") == 0;

  for (int low = 0; low < size; ++low) {
    for (int high = low + 1; high < size; ++high) {
      if (rank == low && verbose) printf("Ranks %d and %d exchange\n", low, high);
      if (rank == low) good &= exchange(low, high);
      if (rank == high) good &= exchange(high, low);
    }
  }
  MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("Connectivity test on %d ranks: %s\n", size, all_good ? "passed" : "FAILED");
  MPI_Finalize();
  return all_good ? 0 : 1;
}
