// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Four threads, each with a communicator of its own, run collectives at the same time.
#include <thread>

#include "tests/mpi/coll_words.hpp"

using namespace mpi_tests;

namespace {

constexpr int kThreads = 4;

void work(MPI_Comm comm, int thread, int turns) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int turn = 0; turn < turns; ++turn) {
    const int count = turn % 16 == 0 ? 6000 : 1 + turn % 7;
    const auto n = static_cast<std::size_t>(count);
    const int mark = thread * 10000 + turn;
    std::vector<Word> give(n), sum(n), all(n * static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < n; ++i) give[i] = value_of(mark, rank, i);
    MPI_Request request;
    MPI_Iallgather(give.data(), count, MPI_UINT64_T, all.data(), count, MPI_UINT64_T, comm, &request);
    CHECK_EQ(MPI_Allreduce(give.data(), sum.data(), count, MPI_UINT64_T, MPI_SUM, comm), MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < n; ++i) {
      Word wanted = 0;
      for (int from = 0; from < size; ++from) {
        wanted += value_of(mark, from, i);
        CHECK(all[static_cast<std::size_t>(from) * n + i] == value_of(mark, from, i));
      }
      CHECK(sum[i] == wanted);
    }
    MPI_Bcast(sum.data(), count, MPI_UINT64_T, turn % size, comm);
    MPI_Barrier(comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 200;
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK_EQ(level, MPI_THREAD_MULTIPLE);
  std::vector<MPI_Comm> comms(kThreads);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, comms[static_cast<std::size_t>(i)], i, turns);
  for (std::thread& thread : threads) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
