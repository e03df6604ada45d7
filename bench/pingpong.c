/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ping-pong between ranks 0 and 1: for each size one line "BYTES HALF_ROUND_TRIP_US MB_PER_S". The figure is
 * the median of several rounds. Arguments are sizes in bytes; without any: 8 and 1048576.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRounds = 7 };

static int iterations_for(size_t bytes) {
  if (bytes <= 4096) return 2000;
  return bytes <= 262144 ? 200 : 30;
}

/* Half a round trip in seconds. */
static double one_round(char* buffer, int bytes, int rank, int iterations) {
  double begin = MPI_Wtime();
  for (int i = 0; i < iterations; ++i) {
    if (rank == 0) {
      MPI_Send(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, bytes, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, bytes, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    }
  }
  return (MPI_Wtime() - begin) / iterations / 2;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static int measure(size_t bytes, int rank) {
  double rounds[kRounds];
  int iterations = iterations_for(bytes);
  char* buffer = malloc(bytes ? bytes : 1);
  if (!buffer) {
    fprintf(stderr, "pingpong: no memory for a message of %zu bytes\n", bytes);
    return 1;
  }
  memset(buffer, rank, bytes);
  one_round(buffer, (int)bytes, rank, iterations / 10);
  for (int i = 0; i < kRounds; ++i) rounds[i] = one_round(buffer, (int)bytes, rank, iterations);
  free(buffer);
  qsort(rounds, kRounds, sizeof rounds[0], ascending);
  double half = rounds[kRounds / 2];
  if (rank == 0) printf("%zu %.3f %.1f\n", bytes, half * 1e6, (double)bytes / half / 1e6);
  return 0;
}

/* Sizes come from the command line; 0 and sizes above 2 GiB are told apart from a typing error. */
static int parse(const char* text, size_t* bytes) {
  char* end;
  unsigned long long value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || value > 2147483647ULL) {
    fprintf(stderr, "pingpong: \"%s\" is not a size from 0 to 2147483647 bytes\n", text);
    return 1;
  }
  *bytes = (size_t)value;
  return 0;
}

int main(int argc, char** argv) {
  static const char* const kDefaults[] = {"8", "1048576"};
  int rank, size, failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "pingpong: needs 2 ranks, got %d\n", size);
    MPI_Finalize();
    return 1;
  }
  int count = argc > 1 ? argc - 1 : 2;
  for (int i = 0; i < count && !failed; ++i) {
    size_t bytes;
    failed = parse(argc > 1 ? argv[i + 1] : kDefaults[i], &bytes) || measure(bytes, rank);
  }
  MPI_Finalize();
  return failed;
}
