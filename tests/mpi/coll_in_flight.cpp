// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Many non-blocking collectives at a time, on several communicators, with messages between; completed in
// other orders than they were started in. Types, operations and communicators are freed while they are in
// use.
#include <algorithm>
#include <random>

#include "tests/mpi/coll_words.hpp"

using namespace mpi_tests;

namespace {

constexpr int kAtATime = 60;
constexpr int kRounds = 12;

/// A collective under way, with its buffers.
struct Flight {
  int what = 0, turn = 0, root = 0, count = 0;
  std::vector<Word> give, get;
};

constexpr int kCollectives = 6;

void start(Flight& it, MPI_Comm comm, int rank, int size, MPI_Request* request) {
  const auto n = static_cast<std::size_t>(it.count);
  const auto members = static_cast<std::size_t>(size);
  it.give.resize(n * members);
  it.get.assign(n * members, 0);
  for (std::size_t i = 0; i < it.give.size(); ++i) it.give[i] = value_of(it.turn, rank, i);
  switch (it.what) {
    case 0:
      MPI_Ibarrier(comm, request);
      return;
    case 1:
      MPI_Ibcast(it.give.data(), it.count, MPI_UINT64_T, it.root, comm, request);
      return;
    case 2:
      MPI_Iallreduce(it.give.data(), it.get.data(), it.count, MPI_UINT64_T, MPI_SUM, comm, request);
      return;
    case 3:
      MPI_Iallgather(it.give.data(), it.count, MPI_UINT64_T, it.get.data(), it.count, MPI_UINT64_T, comm,
                     request);
      return;
    case 4:
      MPI_Ialltoall(it.give.data(), it.count, MPI_UINT64_T, it.get.data(), it.count, MPI_UINT64_T, comm,
                    request);
      return;
    default:
      MPI_Igather(it.give.data(), it.count, MPI_UINT64_T, it.get.data(), it.count, MPI_UINT64_T, it.root,
                  comm, request);
  }
}

Word wanted(const Flight& it, int rank, int size, std::size_t i) {
  const auto n = static_cast<std::size_t>(it.count);
  const int block = static_cast<int>(i / std::max<std::size_t>(n, 1));
  if (it.what == 2) {
    Word sum = 0;
    for (int from = 0; from < size; ++from) sum += value_of(it.turn, from, i);
    return sum;
  }
  if (it.what == 4) return value_of(it.turn, block, static_cast<std::size_t>(rank) * n + i % n);
  return value_of(it.turn, block, i % n);
}

void check(const Flight& it, int rank, int size) {
  const auto n = static_cast<std::size_t>(it.count);
  if (it.what == 0) return;
  if (it.what == 1) {
    for (std::size_t i = 0; i < n; ++i) CHECK(it.give[i] == value_of(it.turn, it.root, i));
    return;
  }
  if (it.what == 5 && rank != it.root) return;
  const std::size_t words = it.what == 2 ? n : n * static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < words; ++i) CHECK(it.get[i] == wanted(it, rank, size, i));
}

/// Waits for all, in an order and a manner that differ from rank to rank.
void complete(std::vector<MPI_Request>& requests, std::mt19937& own) {
  while (own() % 8 != 0) {
    int flag = 0;
    const auto n = own() % requests.size();
    MPI_Test(&requests[n], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag || requests[n] == MPI_REQUEST_NULL);
  }
  int place = 0;
  MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &place, MPI_STATUS_IGNORE);
  const auto n = own() % requests.size();
  MPI_Wait(&requests[n], MPI_STATUS_IGNORE);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void round(int turn, std::vector<MPI_Comm>& comms, std::mt19937& shared, std::mt19937& own) {
  std::vector<Flight> flights(kAtATime);
  std::vector<MPI_Comm> where(kAtATime);
  std::vector<MPI_Request> requests(kAtATime + 2, MPI_REQUEST_NULL);
  const int size = world_size();
  const int rank = world_rank();
  std::vector<Word> out(20000, static_cast<Word>(turn)), in(out.size());
  MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_UINT64_T, MPI_ANY_SOURCE, turn, MPI_COMM_WORLD,
            &requests[kAtATime]);
  for (int i = 0; i < kAtATime; ++i) {
    Flight& it = flights[static_cast<std::size_t>(i)];
    it.what = static_cast<int>(shared() % kCollectives);
    it.turn = turn * kAtATime + i;
    it.root = static_cast<int>(shared() % static_cast<unsigned>(size));
    it.count = static_cast<int>(shared() % (i % 10 == 0 ? 9000 : 40));
    where[static_cast<std::size_t>(i)] = comms[shared() % comms.size()];
    int here = 0;
    MPI_Comm_rank(where[static_cast<std::size_t>(i)], &here);
    start(it, where[static_cast<std::size_t>(i)], here, size, &requests[static_cast<std::size_t>(i)]);
    if (i == kAtATime / 2) {
      MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_UINT64_T, (rank + 1) % size, turn,
                MPI_COMM_WORLD, &requests[kAtATime + 1]);
    }
    // A blocking one overtakes those under way.
    if (i % 20 == 7) {
      int one = 1, sum = 0;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, where[static_cast<std::size_t>(i)]);
      CHECK_EQ(sum, size);
    }
  }
  complete(requests, own);
  CHECK(in == out);
  for (std::size_t i = 0; i < flights.size(); ++i) {
    int here = 0;
    MPI_Comm_rank(where[i], &here);
    check(flights[i], here, size);
  }
}

/// Everything that a collective uses is freed as soon as it has started.
void free_in_flight() {
  Kind holes = words_with_holes();
  MPI_Op chain;
  MPI_Op_create(&chain_holes, 0, &chain);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Area from(holes, 3000), to(holes, 3000), passed(holes, 3000);
  from.set(5, world_rank());
  if (world_rank() == world_size() - 1) passed.set(6, 77);
  MPI_Request requests[2];
  MPI_Iallreduce(from.base(), to.base(), 3000, holes.type, chain, comm, &requests[0]);
  MPI_Ibcast(passed.base(), 3000, holes.type, world_size() - 1, comm, &requests[1]);
  MPI_Type_free(&holes.type);
  MPI_Op_free(&chain);
  MPI_Comm_free(&comm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < to.words(); ++i) {
    Word result = value_of(5, 0, i);
    for (int rank = 1; rank < world_size(); ++rank) result = after(result, value_of(5, rank, i));
    CHECK(to[i] == result);
    CHECK(passed[i] == value_of(6, 77, i));
  }
  to.check_holes();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::mt19937 shared(11);
  std::mt19937 own(static_cast<unsigned>(world_rank() + 1));
  std::vector<MPI_Comm> comms{MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL};
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &comms[2]);
  for (int turn = 1; turn <= kRounds; ++turn) round(turn, comms, shared, own);
  MPI_Comm_free(&comms[1]);
  MPI_Comm_free(&comms[2]);
  for (int i = 0; i < 20; ++i) free_in_flight();
  MPI_Finalize();
  return 0;
}
