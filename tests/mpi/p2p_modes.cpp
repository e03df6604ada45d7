// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What a program may lean on: sends to itself of any size, sends that cross, modes of sending, nobody as a
// peer.
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

const std::size_t kSizes[] = {0, 1, 4095, 4096, 4097, 65535, 65536, 65537, 1u << 20, 64u << 20};

void to_itself() {
  const int me = world_rank();
  for (const std::size_t size : kSizes) {
    const int count = static_cast<int>(size);
    std::vector<unsigned char> out(size), in(size, 0xee);
    fill(out.data(), size, size);
    MPI_Request request;
    MPI_Isend(out.data(), count, MPI_BYTE, me, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(in.data(), count, MPI_BYTE, me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in == out);
    std::fill(in.begin(), in.end(), 0xee);
    MPI_Irecv(in.data(), count, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_SELF, &request);
    MPI_Ssend(out.data(), count, MPI_BYTE, 0, 2, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in == out);
    std::fill(in.begin(), in.end(), 0xee);
    MPI_Sendrecv(out.data(), count, MPI_BYTE, me, 3, in.data(), count, MPI_BYTE, me, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(in == out);
  }
}

/// A small message to itself does not need its receive to be there.
void buffered_to_itself() {
  const int me = world_rank(), value = 5;
  int got = 0;
  MPI_Send(&value, 1, MPI_INT, me, 4, MPI_COMM_WORLD);
  MPI_Recv(&got, 1, MPI_INT, me, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK_EQ(got, 5);
}

/// Both send first: small ones by plain Send, all sizes with Isend and Sendrecv.
void sends_that_cross() {
  const int peer = world_rank() ^ 1;
  if (peer >= world_size()) return;
  for (const std::size_t size : kSizes) {
    const int count = static_cast<int>(size);
    std::vector<unsigned char> out(size), in(size, 0xee);
    fill(out.data(), size, size + world_rank());
    MPI_Request request = MPI_REQUEST_NULL;
    if (size <= 1024) {
      MPI_Send(out.data(), count, MPI_BYTE, peer, 5, MPI_COMM_WORLD);
    } else {
      MPI_Isend(out.data(), count, MPI_BYTE, peer, 5, MPI_COMM_WORLD, &request);
    }
    MPI_Recv(in.data(), count, MPI_BYTE, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(filled(in.data(), size, size + peer));
    MPI_Sendrecv_replace(out.data(), count, MPI_BYTE, peer, 6, peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(out == in);
  }
}

/// A synchronous send is not complete before its receive is posted, which here waits for that to be seen.
void synchronous_waits_for_the_match() {
  if (world_rank() > 1) return;
  for (const int count : {0, 1, 100000}) {
    std::vector<int> memory(count, 3);
    if (world_rank() == 0) {
      MPI_Request request;
      int done = 0;
      MPI_Issend(memory.data(), count, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
      for (int i = 0; i < 1000 && !done; ++i) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      CHECK(!done);
      tell(1);
      await(1);  // the other side has the message probed, and still not received
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      CHECK(!done);
      tell(1);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      await(0);
      MPI_Probe(0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      tell(0);
      await(0);
      MPI_Recv(memory.data(), count, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

/// A ready send, where the receive is posted for sure.
void ready() {
  if (world_rank() > 1) return;
  int value = 8;
  MPI_Request request;
  if (world_rank() == 1) {
    MPI_Irecv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
    tell(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQ(value, 88);
  } else {
    value = 88;
    await(1);
    MPI_Rsend(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
  }
}

void check_nobody(const MPI_Status& status) {
  int count = -1;
  CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK_EQ(count, 0);
}

void nobody() {
  int value = 4;
  MPI_Status status;
  MPI_Request request;
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  check_nobody(status);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  check_nobody(status);
  MPI_Sendrecv_replace(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  check_nobody(status);
  CHECK_EQ(value, 4);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  to_itself();
  buffered_to_itself();
  sends_that_cross();
  synchronous_waits_for_the_match();
  ready();
  nobody();
  meet();
  MPI_Finalize();
  return 0;
}
