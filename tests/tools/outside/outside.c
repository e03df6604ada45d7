/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("outside of %d\n", size);
  MPI_Finalize();
  return 0;
}
