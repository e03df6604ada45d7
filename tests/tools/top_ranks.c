/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two ranks in a state that `hawser top` is to show. Rank 0 has sent seven messages of 1000 bytes, has two
 * receives posted, and is outside of MPI: it reads its input. Rank 1 has received one of the seven, which
 * leaves six unexpected, and is blocked in a receive. At the end of the input they finish.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kMessages = 7, kSize = 1000, kLate = 2, kUnexpected = 5, kFirst = 6, kEnd = 7 };

static char g_data[kSize];

static void read_to_end(void) {
  char byte;
  puts("ready");
  fflush(stdout);
  while (read(0, &byte, 1) > 0) {
  }
}

static void rank_0(void) {
  MPI_Request late[kLate];
  for (int i = 1; i < kMessages; ++i) MPI_Send(g_data, kSize, MPI_CHAR, 1, kUnexpected, MPI_COMM_WORLD);
  MPI_Send(g_data, kSize, MPI_CHAR, 1, kFirst, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_CHAR, 1, kFirst, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < kLate; ++i) MPI_Irecv(NULL, 0, MPI_CHAR, 1, kEnd, MPI_COMM_WORLD, &late[i]);
  read_to_end();
  MPI_Send(NULL, 0, MPI_CHAR, 1, kEnd, MPI_COMM_WORLD);
  MPI_Waitall(kLate, late, MPI_STATUSES_IGNORE);
}

static void rank_1(void) {
  char data[kSize];
  MPI_Recv(data, kSize, MPI_CHAR, 0, kFirst, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(NULL, 0, MPI_CHAR, 0, kFirst, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_CHAR, 0, kEnd, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < kMessages; ++i)
    MPI_Recv(data, kSize, MPI_CHAR, 0, kUnexpected, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < kLate; ++i) MPI_Send(NULL, 0, MPI_CHAR, 0, kEnd, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) rank_0();
  if (rank == 1) rank_1();
  MPI_Finalize();
  return 0;
}
