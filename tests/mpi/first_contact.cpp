// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// First contact: four threads of every rank turn to every peer at the same moment, both sides at once.
// first_contact [US [SEED]]: every thread computes up to US microseconds before it first calls, so that the
// others meet a rank that does not poll.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr int kThreads = 4, kBytes = 100000;  // larger than what goes without asking

/// One thread's share: a small and a large message to and from each peer, all under way together.
void talk_to_all(int thread) {
  const int me = world_rank(), size = world_size();
  std::vector<MPI_Request> requests;
  std::vector<std::vector<unsigned char>> in(size), out(size);
  std::vector<int> small(size, -1);
  for (int step = 0; step < size; ++step) {
    const int peer = (me + step + thread) % size;
    in[peer].resize(kBytes);
    out[peer].resize(kBytes);
    fill(out[peer].data(), kBytes, me * 100 + thread);
    MPI_Request request[4];
    MPI_Isend(&me, 1, MPI_INT, peer, thread, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&small[peer], 1, MPI_INT, peer, thread, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(out[peer].data(), kBytes, MPI_BYTE, peer, 10 + thread, MPI_COMM_WORLD, &request[2]);
    MPI_Irecv(in[peer].data(), kBytes, MPI_BYTE, peer, 10 + thread, MPI_COMM_WORLD, &request[3]);
    requests.insert(requests.end(), request, request + 4);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (int peer = 0; peer < size; ++peer) {
    CHECK_EQ(small[peer], peer);
    CHECK(filled(in[peer].data(), kBytes, peer * 100 + thread));
  }
}

void compute(unsigned long longest_us, unsigned long seed) {
  if (longest_us == 0) return;
  std::minstd_rand random(static_cast<unsigned>(seed));
  random.discard(10);  // near seeds begin alike
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % longest_us);
  while (std::chrono::steady_clock::now() < until) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  const unsigned long longest_us = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  const auto first_thread = static_cast<unsigned long>(world_rank() * kThreads);
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      compute(longest_us, seed * 1000 + first_thread + static_cast<unsigned long>(t));
      talk_to_all(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  MPI_Finalize();
  return 0;
}
