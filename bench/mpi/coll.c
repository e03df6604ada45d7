/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Any number of ranks: barrier, and allreduce, bcast, alltoall of 8 bytes and 1 MiB (alltoall: in all, from
 * each rank), in us of the slowest rank's average.
 */
#include "bench/mpi/clock.h"

struct op {
  const char* name;
  void (*run)(char* in, char* out, int bytes);
};

static int g_size;

static void barrier(char* in, char* out, int bytes) {
  (void)in, (void)out, (void)bytes;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void allreduce(char* in, char* out, int bytes) {
  MPI_Allreduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void bcast(char* in, char* out, int bytes) {
  (void)out;
  MPI_Bcast(in, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}
static void alltoall(char* in, char* out, int bytes) {
  int part = bytes / g_size < 8 ? 8 : bytes / g_size;
  MPI_Alltoall(in, part, MPI_CHAR, out, part, MPI_CHAR, MPI_COMM_WORLD);
}

static const struct op kOps[] = {
    {"barrier", barrier}, {"allreduce", allreduce}, {"bcast", bcast}, {"alltoall", alltoall}};

struct call {
  const struct op* op;
  char *in, *out;
  int bytes;
};

static void many(long count, void* context) {
  struct call* call = context;
  for (long i = 0; i < count; ++i) call->op->run(call->in, call->out, call->bytes);
}

int main(int argc, char** argv) {
  static const int kSizes[] = {8, 1 << 20};
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_size);
  size_t room = (size_t)(1 << 20) + 8 * g_size;
  struct call call = {NULL, bench_buffer(room), bench_buffer(room), 0};
  for (size_t o = 0; o < sizeof kOps / sizeof kOps[0]; ++o) {
    for (int s = 0; s < 2 && !(o == 0 && s == 1); ++s) {
      call.op = &kOps[o];
      call.bytes = kSizes[s];
      double took = bench_time(MPI_COMM_WORLD, many, &call), slowest;
      MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      if (rank == 0 && o == 0) BENCH_SAY("coll.barrier %.3f\n", slowest * 1e6);
      if (rank == 0 && o != 0) BENCH_SAY("coll.%s.%d %.3f\n", call.op->name, call.bytes, slowest * 1e6);
    }
  }
  free(call.in);
  free(call.out);
  MPI_Finalize();
  return 0;
}
