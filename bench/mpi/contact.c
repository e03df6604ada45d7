/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * contact hello: starts and ends. contact all: every rank exchanges a message with every other one first.
 * Prints the mean proportional set size (PSS) of a rank in MB.
 */
#include "bench/mpi/clock.h"

static void all_pairs(int rank, int size) {
  int mine = rank, theirs = -1;
  for (int distance = 1; distance < size; ++distance) {
    int to = (rank + distance) % size, from = (rank + size - distance) % size;
    MPI_Sendrecv(&mine, 1, MPI_INT, to, 4, &theirs, 1, MPI_INT, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (theirs != from) MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static double pss_mb(void) {
  char line[256];
  double kb = 0;
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "Pss: %lf", &kb);
  if (file) fclose(file);
  return kb / 1024;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "all") == 0) {
    all_pairs(rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    double mine = pss_mb(), sum = 0;
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("contact.pss %.3f\n", sum / size);
  }
  MPI_Finalize();
  return 0;
}
