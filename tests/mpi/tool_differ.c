/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks whose parameters differ, where they should not: collectives still go well. */
#include <unistd.h>

#include "tests/mpi/tool_check.h"

int main(int argc, char** argv) {
  int provided, size;
  CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  MPI_T_cvar_handle after = cvar_handle("mpi_coll_shm_after", 1);
  const MPI_Count mine = getpid() % 7;
  CHECK_OK(MPI_T_cvar_write(after, &mine));
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 20; ++i) {
    int one = 1, sum = 0;
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  MPI_Finalize();
  CHECK_OK(MPI_T_finalize());
  return 0;
}
