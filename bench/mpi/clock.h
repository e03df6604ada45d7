/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the benchmark programs share: each prints lines "NAME VALUE"; bench/compare.py knows their units.
 */
#ifndef HAWSER_BENCH_CLOCK_H
#define HAWSER_BENCH_CLOCK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds that one figure is measured for; BENCH_SECONDS overrides it. */
static inline double bench_seconds(void) {
  const char* text = getenv("BENCH_SECONDS");
  double value = text ? atof(text) : 0;
  return value > 0 ? value : 0.05;
}

/* Aligned as a page, and touched. */
static inline char* bench_buffer(size_t bytes) {
  void* memory = NULL;
  if (posix_memalign(&memory, 4096, bytes ? bytes : 1) != 0) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(memory, 1, bytes ? bytes : 1);
  return memory;
}

/* "NAME VALUE", at once: what was measured counts even if the rest takes too long. */
#define BENCH_SAY(...) (printf(__VA_ARGS__), fflush(stdout))

/* Runs `body(count, context)` on all ranks of `comm` with growing counts until rank 0 finds it long enough:
 * seconds for one, of the best of three runs of that count (of two, where a single call takes very long: a
 * host that fills page tables late makes the kernel's first look at a buffer many times as slow as the next).
 */
static inline double bench_time(MPI_Comm comm, void (*body)(long count, void* context), void* context) {
  enum { kCount, kLeft, kCounts };
  long now[3] = {1, 3, 0};
  double best = 0, goal = bench_seconds() / 3;
  while (now[kLeft] > 0) {
    long count = now[kCount];
    MPI_Barrier(comm);
    double begin = MPI_Wtime();
    body(count, context);
    double took = MPI_Wtime() - begin;
    now[kCounts] = now[kLeft] < 3 || took >= goal || count >= 1L << 30;
    if (now[kCounts]) {
      now[kLeft] = took > 20 * goal && now[kLeft] > 1 ? 1 : now[kLeft] - 1;
    } else {
      double factor = took > 0 ? 1.2 * goal / took : 16;
      now[kCount] = (long)(count * (factor < 2 ? 2 : factor > 16 ? 16 : factor));
    }
    MPI_Bcast(now, 3, MPI_LONG, 0, comm);
    if (now[kCounts] && (best == 0 || took / count < best)) best = took / count;
  }
  return best;
}

#endif
