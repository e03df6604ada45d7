/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Two ranks. Rank 0 has no descriptor left when rank 1 calls it, and some again later: the message comes. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { kLimit = 128, kLooks = 20000 };

int main(int argc, char** argv) {
  int rank, value = 42;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else {
    struct rlimit limit;
    int taken[kLimit], count = 0, flag = 0;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = kLimit;
    setrlimit(RLIMIT_NOFILE, &limit);
    while (count < kLimit && (taken[count] = open("/dev/null", O_RDONLY)) >= 0) ++count;
    for (int i = 0; i < kLooks && !flag; ++i) MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    while (count > 0) close(taken[--count]);
    value = 0;
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank 0 got %d\n", value);
  }
  MPI_Finalize();
  return 0;
}
