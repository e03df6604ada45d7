// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// MPI_THREAD_MULTIPLE: threads in pairs, and a thread that waits while others work.
// Usage: threads [ROUNDS]
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr int kThreads = 4, kBytes = 128 * 1024;

template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
}

/// Thread t of one rank talks with thread t of the other: Irecv, Isend, Wait, Wait.
void pairs(int rounds) {
  const int me = world_rank(), peer = 1 - me;
  in_threads([=](int t) {
    std::vector<unsigned char> out(kBytes), in(kBytes);
    for (int i = 0; i < rounds; ++i) {
      MPI_Request requests[2];
      const std::uint64_t seed = 10007 * t + 2 * i;
      fill(out.data(), kBytes, seed + me);
      MPI_Irecv(in.data(), kBytes, MPI_BYTE, peer, t, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out.data(), kBytes, MPI_BYTE, peer, t, MPI_COMM_WORLD, &requests[1]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      CHECK(filled(in.data(), kBytes, seed + peer));
    }
  });
  meet();
}

/// The same with small messages and Test, each thread on a communicator of its own.
void pairs_on_communicators(int rounds) {
  const int peer = 1 - world_rank();
  std::vector<MPI_Comm> comms(kThreads);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  in_threads([&](int t) {
    for (int i = 0; i < rounds * 10; ++i) {
      int in = -1;
      MPI_Request requests[2];
      MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[t], &requests[0]);
      MPI_Isend(&i, 1, MPI_INT, peer, t, comms[t], &requests[1]);
      int done = 0;
      while (!done) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
      CHECK_EQ(in, i);
    }
  });
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  meet();
}

/// One thread sits in a receive that ends last, while the others exchange messages.
void one_waits_the_others_work(int rounds) {
  const int peer = 1 - world_rank();
  int late = 0;
  std::thread waiting([&] { MPI_Recv(&late, 1, MPI_INT, peer, 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
  in_threads([&](int t) {
    for (int i = 0; i < rounds; ++i) {
      int in = -1;
      MPI_Sendrecv(&i, 1, MPI_INT, peer, t, &in, 1, MPI_INT, peer, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_EQ(in, i);
    }
  });
  const int now = 77;
  MPI_Send(&now, 1, MPI_INT, peer, 100, MPI_COMM_WORLD);
  waiting.join();
  CHECK_EQ(late, 77);
  meet();
}

/// All threads receive with the same wildcards: each message is received once.
void threads_share_a_wildcard(int rounds) {
  const int peer = 1 - world_rank();
  std::vector<std::vector<int>> got(kThreads);
  in_threads([&](int t) {
    for (int i = 0; i < rounds; ++i) {
      const int out = t * rounds + i;
      int in = -1;
      MPI_Request request;
      MPI_Isend(&out, 1, MPI_INT, peer, 50, MPI_COMM_WORLD, &request);
      MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      got[t].push_back(in);
    }
  });
  std::vector<int> seen(kThreads * rounds, 0);
  for (const auto& values : got) {
    for (const int value : values) ++seen.at(value);
  }
  for (const int count : seen) CHECK_EQ(count, 1);
  meet();
}

}  // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  CHECK_EQ(world_size(), 2);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 500;
  pairs(rounds);
  pairs_on_communicators(rounds);
  one_waits_the_others_work(rounds);
  threads_share_a_wildcard(rounds);
  MPI_Finalize();
  return 0;
}
