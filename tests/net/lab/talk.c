/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases of the lab let the ranks do.
     talk pingpong BYTES       ranks 0 and 1, 1 byte and up to BYTES, in steps of about four
     talk all BYTES [ROUNDS]   all to all at once, as the very first exchange
     talk late MS              rank 0 sleeps after MPI_Init; the others have sent to it long before
     talk hold [BYTES]         like all, then "ready"; goes on when rank 0 reads a line, then like all again
     talk deaf                 rank 0 stops listening before anybody has connected to it
   Whatever arrives is checked byte by byte. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int rank, size;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "rank %d: not so: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 9);
}

static unsigned char* room(size_t bytes) {
  unsigned char* memory = malloc(bytes ? bytes : 1);
  check(memory != NULL, "there is memory");
  return memory;
}

/* Bytes that differ by place and by sender; a period that is no power of two. */
static void fill(unsigned char* at, size_t bytes, int from) {
  for (size_t i = 0; i < bytes; ++i) at[i] = (unsigned char)(i % 251 + 3 * from);
}

static int filled(const unsigned char* at, size_t bytes, int from) {
  for (size_t i = 0; i < bytes; ++i)
    if (at[i] != (unsigned char)(i % 251 + 3 * from)) return 0;
  return 1;
}

static void pingpong(size_t most) {
  if (rank > 1) return;
  unsigned char *out = room(most), *in = room(most);
  fill(out, most, rank);
  for (size_t bytes = 1; bytes <= most; bytes = bytes * 4 > most && bytes < most ? most : bytes * 4) {
    memset(in, 255, bytes);
    if (rank == 0) MPI_Send(out, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(in, (int)bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    check(filled(in, bytes, 1 - rank), "what came is what was sent");
  }
  free(out);
  free(in);
}

static void all(size_t bytes) {
  unsigned char *out = room(bytes), *in = room(bytes * (size_t)size);
  MPI_Request* requests = malloc(2 * (size_t)size * sizeof *requests);
  check(requests != NULL, "there is memory");
  fill(out, bytes, rank);
  for (int i = 0; i < size; ++i)
    MPI_Isend(out, (int)bytes, MPI_BYTE, (rank + i) % size, 2, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < size; ++i)
    MPI_Irecv(in + (size_t)i * bytes, (int)bytes, MPI_BYTE, i, 2, MPI_COMM_WORLD, &requests[size + i]);
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < size; ++i)
    check(filled(in + (size_t)i * bytes, bytes, i), "what came is what was sent");
  free(requests);
  free(in);
  free(out);
}

static void late(int milliseconds) {
  enum { kBytes = 100000 };
  unsigned char *out = room(kBytes), *in = room(kBytes);
  fill(out, kBytes, rank);
  if (rank == 0) usleep((useconds_t)milliseconds * 1000);
  for (int i = 1; i < size; ++i) {
    if (rank != 0 && rank != i) continue;
    const int peer = rank == 0 ? i : 0;
    if (rank != 0) MPI_Send(out, kBytes, MPI_BYTE, peer, 3, MPI_COMM_WORLD);
    MPI_Recv(in, kBytes, MPI_BYTE, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Send(out, kBytes, MPI_BYTE, peer, 3, MPI_COMM_WORLD);
    check(filled(in, kBytes, peer), "what came is what was sent");
  }
  free(out);
  free(in);
}

static void hold(size_t bytes) {
  char line[64];
  all(bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    puts("ready");
    fflush(stdout);
    check(fgets(line, sizeof line, stdin) != NULL, "a line to go on with");
  }
  MPI_Bcast(&line[0], 1, MPI_CHAR, 0, MPI_COMM_WORLD); /* the others wait in here */
  all(bytes);
}

static void deaf(void) {
  for (int fd = 3; rank == 0 && fd < 1024; ++fd) {
    int listens = 0;
    socklen_t length = sizeof listens;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || !listens) continue;
    struct sockaddr_storage name;
    length = sizeof name;
    if (getsockname(fd, (struct sockaddr*)&name, &length) == 0 && name.ss_family != AF_UNIX)
      shutdown(fd, SHUT_RDWR);
  }
  if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < size; ++i) {
    int value = -1;
    usleep(300000); /* the sender meets the closed door before anybody comes from this side */
    MPI_Recv(&value, 1, MPI_INT, i, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(value == i, "what came is what was sent");
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const size_t number = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
  int rounds = argc > 3 ? atoi(argv[3]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "pingpong") == 0) {
    pingpong(number);
  } else if (strcmp(what, "all") == 0) {
    while (rounds-- > 0) all(number);
  } else if (strcmp(what, "late") == 0) {
    late((int)number);
  } else if (strcmp(what, "hold") == 0) {
    hold(number);
  } else if (strcmp(what, "deaf") == 0) {
    deaf();
  } else {
    check(0, "a word that is known: pingpong, all, late, hold, deaf");
  }
  MPI_Finalize();
  if (rank == 0) puts("good");
  return 0;
}
