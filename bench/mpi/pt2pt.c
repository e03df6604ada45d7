/* SPDX-FileCopyrightText: 2026 The Hawser authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two ranks. The arguments are modes, each with its numbers; they are measured in that order:
 *   latency BYTES...          half round trips in us, the buffer reused
 *   rewritten BYTES...        the same, the buffer written before each send
 *   rate BYTES WINDOW         messages a second, one way
 *   stream BYTES WINDOW       MB/s: one way and both ways, one buffer and a buffer for each message
 *   stream-same BYTES WINDOW  the same with one buffer only
 */
#include "bench/mpi/clock.h"

enum { kMaxWindow = 256 };

struct pingpong {
  char* buffer;
  int bytes, rank, rewrite;
};

static void pingpong(long count, void* context) {
  struct pingpong* p = context;
  int peer = 1 - p->rank;
  for (long i = 0; i < count; ++i) {
    if (p->rank == 1) MPI_Recv(p->buffer, p->bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (p->rewrite) memset(p->buffer, (int)i, p->bytes);
    MPI_Send(p->buffer, p->bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
    if (p->rank == 0) MPI_Recv(p->buffer, p->bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void latency(int rank, int bytes, int rewrite) {
  struct pingpong p = {bench_buffer(bytes), bytes, rank, rewrite};
  double half = bench_time(MPI_COMM_WORLD, pingpong, &p) / 2;
  if (rank == 0) BENCH_SAY("%s.%d %.4f\n", rewrite ? "rewritten" : "latency", bytes, half * 1e6);
  free(p.buffer);
}

struct stream {
  char *out, *in;
  size_t step; /* from one message's buffer to the next: 0 or bytes */
  int bytes, window, rank, both;
};

/* `window` messages, then one empty one back. */
static void stream(long count, void* context) {
  struct stream* s = context;
  MPI_Request requests[2 * kMaxWindow];
  int peer = 1 - s->rank;
  for (long i = 0; i < count; ++i) {
    int n = 0;
    if (s->rank == 1 || s->both) {
      for (int w = 0; w < s->window; ++w)
        MPI_Irecv(s->in + w * s->step, s->bytes, MPI_CHAR, peer, 2, MPI_COMM_WORLD, &requests[n++]);
    }
    if (s->rank == 0 || s->both) {
      for (int w = 0; w < s->window; ++w)
        MPI_Isend(s->out + w * s->step, s->bytes, MPI_CHAR, peer, 2, MPI_COMM_WORLD, &requests[n++]);
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    if (s->rank == 1) MPI_Send(NULL, 0, MPI_CHAR, peer, 3, MPI_COMM_WORLD);
    if (s->rank == 0) MPI_Recv(NULL, 0, MPI_CHAR, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static double messages_per_second(int rank, int bytes, int window, int both, int each) {
  size_t step = each ? (size_t)bytes : 0, room = (size_t)bytes * (each ? window : 1);
  struct stream s = {bench_buffer(room), bench_buffer(room), step, bytes, window, rank, both};
  double took = bench_time(MPI_COMM_WORLD, stream, &s);
  free(s.out);
  free(s.in);
  return (both ? 2.0 : 1.0) * window / took;
}

static void streams(int rank, int bytes, int window, int kinds) {
  static const char* const kNames[2][2] = {{"one.same", "one.each"}, {"both.same", "both.each"}};
  for (int both = 0; both < 2; ++both) {
    for (int each = 0; each < kinds; ++each) {
      double rate = messages_per_second(rank, bytes, window, both, each);
      if (rank == 0) BENCH_SAY("stream.%s.%d %.1f\n", kNames[both][each], bytes, rate * bytes / 1e6);
    }
  }
}

/* Measures one mode; how many of the `given` numbers it used, 0 if they are not right. */
static int measure(int rank, const char* mode, char** numbers, int given) {
  if (strcmp(mode, "latency") == 0 || strcmp(mode, "rewritten") == 0) {
    for (int i = 0; i < given; ++i) latency(rank, atoi(numbers[i]), mode[0] == 'r');
    return given;
  }
  int bytes = given == 2 ? atoi(numbers[0]) : 0, window = given == 2 ? atoi(numbers[1]) : 0;
  if (window < 1 || window > kMaxWindow) return 0;
  if (strcmp(mode, "rate") == 0) {
    double rate = messages_per_second(rank, bytes, window, 0, 0);
    if (rank == 0) BENCH_SAY("rate.%d.%d %.0f\n", bytes, window, rate);
  } else if (strcmp(mode, "stream") == 0 || strcmp(mode, "stream-same") == 0) {
    streams(rank, bytes, window, strcmp(mode, "stream") == 0 ? 2 : 1);
  } else {
    return 0;
  }
  return given;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int failed = size != 2 || argc < 3;
  for (int i = 1; i < argc && !failed;) {
    const char* mode = argv[i++];
    int given = 0;
    while (i + given < argc && argv[i + given][0] >= '0' && argv[i + given][0] <= '9') ++given;
    failed = measure(rank, mode, argv + i, given) == 0;
    i += given;
  }
  if (failed && rank == 0)
    fprintf(stderr, "pt2pt: two ranks, and see the top of pt2pt.c for the arguments\n");
  MPI_Finalize();
  return failed;
}
