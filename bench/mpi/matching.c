/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two ranks. matching DEPTH...: ns a message, when DEPTH messages wait unexpected and are received in reverse
 * order of their tags, and when DEPTH receives are posted and the messages come in reverse order.
 */
#include "bench/mpi/clock.h"

static double unexpected(int rank, int depth) {
  int value = 0;
  double took = 0;
  if (rank == 0) {
    for (int i = 0; i < depth; ++i) MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, 1, depth, MPI_COMM_WORLD);
    MPI_Recv(&took, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, depth, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* all the others are here */
    double begin = MPI_Wtime();
    for (int i = depth - 1; i >= 0; --i)
      MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    took = MPI_Wtime() - begin;
    MPI_Send(&took, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
  return took / depth;
}

static double posted(int rank, int depth) {
  int* values = calloc(depth, sizeof *values);
  MPI_Request* requests = malloc(depth * sizeof *requests);
  double took = 0;
  if (!values || !requests) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 1) {
    for (int i = 0; i < depth; ++i) MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  if (rank == 0) {
    for (int i = depth - 1; i >= 0; --i) MPI_Send(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    MPI_Recv(&took, 1, MPI_DOUBLE, 1, depth, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Waitall(depth, requests, MPI_STATUSES_IGNORE);
    took = MPI_Wtime() - begin;
    MPI_Send(&took, 1, MPI_DOUBLE, 0, depth, MPI_COMM_WORLD);
  }
  free(values);
  free(requests);
  return took / depth;
}

static double best_of(double (*measure)(int, int), int rank, int depth) {
  double best = 1e9;
  for (int i = 0, rounds = depth > 1000 ? 3 : 50; i < rounds; ++i) {
    double took = measure(rank, depth);
    if (took < best) best = took;
  }
  return best * 1e9;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i < argc && size == 2; ++i) {
    int depth = atoi(argv[i]);
    double late = best_of(unexpected, rank, depth), early = best_of(posted, rank, depth);
    if (rank == 0)
      printf("matching.unexpected.%d %.1f\nmatching.posted.%d %.1f\n", depth, late, depth, early);
  }
  if (size != 2 || argc < 2) fprintf(stderr, "matching: two ranks; the arguments are depths\n");
  MPI_Finalize();
  return size != 2 || argc < 2;
}
