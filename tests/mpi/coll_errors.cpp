// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What is allowed and what is not: null buffers with nothing in them, MPI_IN_PLACE, roots, one buffer for
// two; and members that do not give the same amount of data get an error instead of a hang.
#include "tests/mpi/coll_words.hpp"

using namespace mpi_tests;

namespace {

int g_words[64], g_others[64], g_counts[16], g_displs[16];

void nothing_at_all() {
  const int size = world_size();
  std::vector<int> none(static_cast<std::size_t>(size), 0);
  std::vector<MPI_Datatype> types(static_cast<std::size_t>(size), MPI_INT);
  const MPI_Comm comm = MPI_COMM_WORLD;
  for (const bool blocking : {true, false}) {
    CALL(blocking, Bcast, Ibcast, nullptr, 0, MPI_INT, 0, comm);
    CALL(blocking, Gather, Igather, nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, 0, comm);
    CALL(blocking, Scatter, Iscatter, nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, 0, comm);
    CALL(blocking, Allgather, Iallgather, nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, comm);
    CALL(blocking, Alltoall, Ialltoall, nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, comm);
    CALL(blocking, Gatherv, Igatherv, nullptr, 0, MPI_INT, nullptr, none.data(), none.data(), MPI_INT, 0,
         comm);
    CALL(blocking, Scatterv, Iscatterv, nullptr, none.data(), none.data(), MPI_INT, nullptr, 0, MPI_INT, 0,
         comm);
    CALL(blocking, Allgatherv, Iallgatherv, nullptr, 0, MPI_INT, nullptr, none.data(), none.data(), MPI_INT,
         comm);
    CALL(blocking, Alltoallv, Ialltoallv, nullptr, none.data(), none.data(), MPI_INT, nullptr, none.data(),
         none.data(), MPI_INT, comm);
    CALL(blocking, Alltoallw, Ialltoallw, nullptr, none.data(), none.data(), types.data(), nullptr,
         none.data(), none.data(), types.data(), comm);
    CALL(blocking, Reduce, Ireduce, nullptr, nullptr, 0, MPI_INT, MPI_SUM, 0, comm);
    CALL(blocking, Allreduce, Iallreduce, nullptr, nullptr, 0, MPI_INT, MPI_SUM, comm);
    CALL(blocking, Scan, Iscan, nullptr, nullptr, 0, MPI_INT, MPI_SUM, comm);
    CALL(blocking, Exscan, Iexscan, nullptr, nullptr, 0, MPI_INT, MPI_SUM, comm);
    CALL(blocking, Reduce_scatter_block, Ireduce_scatter_block, nullptr, nullptr, 0, MPI_INT, MPI_SUM, comm);
    CALL(blocking, Reduce_scatter, Ireduce_scatter, nullptr, nullptr, none.data(), MPI_INT, MPI_SUM, comm);
    // One address with nothing in it is no alias.
    CALL(blocking, Allreduce, Iallreduce, g_words, g_words, 0, MPI_INT, MPI_SUM, comm);
    CALL(blocking, Allgather, Iallgather, g_words, 0, MPI_INT, g_words, 0, MPI_INT, comm);
  }
}

void in_place_where_it_is_not_allowed() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int rank = world_rank();
  const int other = (rank + 1) % 2;  // a root that this rank is not, with two ranks
  CHECK_EQ(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Allreduce(g_words, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Scan(g_words, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Exscan(g_words, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Allgather(g_words, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Alltoall(g_words, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), MPI_ERR_BUFFER);
  CHECK_EQ(
      MPI_Alltoallv(g_words, g_counts, g_displs, MPI_INT, MPI_IN_PLACE, g_counts, g_displs, MPI_INT, comm),
      MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Reduce_scatter_block(g_words, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Gather(g_words, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, rank, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Scatter(MPI_IN_PLACE, 1, MPI_INT, g_words, 1, MPI_INT, rank, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Reduce(g_words, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, rank, comm), MPI_ERR_BUFFER);
  if (world_size() < 2 || rank > 1) return;
  CHECK_EQ(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, nullptr, 1, MPI_INT, other, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Gatherv(MPI_IN_PLACE, 1, MPI_INT, nullptr, nullptr, nullptr, MPI_INT, other, comm),
           MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Scatter(nullptr, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, other, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Reduce(MPI_IN_PLACE, nullptr, 1, MPI_INT, MPI_SUM, other, comm), MPI_ERR_BUFFER);
}

void wrong_arguments() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Request request;
  CHECK_EQ(MPI_Bcast(g_words, 1, MPI_INT, -1, comm), MPI_ERR_ROOT);
  CHECK_EQ(MPI_Bcast(g_words, 1, MPI_INT, world_size(), comm), MPI_ERR_ROOT);
  CHECK_EQ(MPI_Ireduce(g_words, g_others, 1, MPI_INT, MPI_SUM, world_size(), comm, &request), MPI_ERR_ROOT);
  CHECK_EQ(MPI_Bcast(g_words, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
  CHECK_EQ(MPI_Gather(g_words, 1, MPI_INT, g_others, -1, MPI_INT, world_rank(), comm), MPI_ERR_COUNT);
  CHECK_EQ(MPI_Allgather(g_words, -1, MPI_INT, g_others, 1, MPI_INT, comm), MPI_ERR_COUNT);
  CHECK_EQ(MPI_Reduce_scatter_block(g_words, g_others, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
  CHECK_EQ(MPI_Bcast(g_words, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE);
  CHECK_EQ(MPI_Bcast(nullptr, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Allreduce(g_words, g_others, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP);
  CHECK_EQ(MPI_Allreduce(g_words, g_others, 1, MPI_DOUBLE, MPI_BAND, comm), MPI_ERR_OP);
  CHECK_EQ(MPI_Ibarrier(comm, nullptr), MPI_ERR_ARG);
  CHECK_EQ(MPI_Allgatherv(g_words, 1, MPI_INT, g_others, nullptr, g_displs, MPI_INT, comm), MPI_ERR_ARG);
  // One buffer for what is given and what is got.
  CHECK_EQ(MPI_Allreduce(g_words, g_words, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Scan(g_words, g_words, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Alltoall(g_words, 1, MPI_INT, g_words, 1, MPI_INT, comm), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Reduce(g_words, g_words, 1, MPI_INT, MPI_SUM, world_rank(), comm), MPI_ERR_BUFFER);
}

void next_is_right() {
  int one = 1, sum = 0;
  CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
  CHECK_EQ(sum, world_size());
}

/// The last rank gives or wants less than the others. Nobody hangs, and who gets wrong data is told.
void different_amounts() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const bool odd = world_rank() == world_size() - 1;
  if (world_size() < 2) return;
  const int bad = MPI_Bcast(g_words, odd ? 2 : 3, MPI_INT, 0, comm);
  CHECK_EQ(bad, odd ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  CHECK_EQ(MPI_Allreduce(g_words, g_others, odd ? 2 : 3, MPI_INT, MPI_SUM, comm), MPI_ERR_TRUNCATE);
  CHECK_EQ(MPI_Allgather(g_words, odd ? 2 : 3, MPI_INT, g_others, odd ? 2 : 3, MPI_INT, comm),
           MPI_ERR_TRUNCATE);
  MPI_Request request;
  CHECK_EQ(MPI_Iallreduce(g_words, g_others, odd ? 3 : 2, MPI_INT, MPI_SUM, comm, &request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  next_is_right();
}

/// The last rank gives nothing at all, where the others do: whoever needs it is told.
void nothing_from_one() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const bool odd = world_rank() == world_size() - 1;
  if (world_size() < 2) return;
  for (const int count : {3, 60}) {
    const int reduced = MPI_Reduce(g_words, g_others, odd ? 0 : count, MPI_INT, MPI_SUM, 0, comm);
    if (world_rank() == 0) CHECK_EQ(reduced, MPI_ERR_TRUNCATE);
    next_is_right();
    const int all = MPI_Allreduce(g_words, g_others, odd ? 0 : count, MPI_INT, MPI_SUM, comm);
    CHECK(odd || all == MPI_ERR_TRUNCATE);
    next_is_right();
  }
  const int scanned = MPI_Scan(g_words, g_others, odd ? 0 : 3, MPI_INT, MPI_SUM, comm);
  if (odd) CHECK_EQ(scanned, MPI_ERR_TRUNCATE);
  const int gathered = MPI_Allgather(g_words, odd ? 0 : 3, MPI_INT, g_others, odd ? 0 : 3, MPI_INT, comm);
  CHECK(odd || gathered == MPI_ERR_TRUNCATE);
  next_is_right();
}

/// The last rank gives itself more than it takes, or less: no byte is written or read beyond its buffers.
void own_sizes_differ() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const bool odd = world_rank() == world_size() - 1;
  const auto size = static_cast<std::size_t>(world_size());
  for (const int take : {2, 1500, 40000}) {
    for (const int give : {take / 2, take * 2}) {
      const int own = odd ? give : take;
      std::vector<int> from(static_cast<std::size_t>(own) * size, 7),
          to(static_cast<std::size_t>(take) * size + 64, -1);
      const int gathered = MPI_Allgather(from.data(), own, MPI_INT, to.data(), take, MPI_INT, comm);
      const int swapped = MPI_Alltoall(from.data(), own, MPI_INT, to.data(), take, MPI_INT, comm);
      for (const int bad : {gathered, swapped}) CHECK(bad == MPI_SUCCESS || bad == MPI_ERR_TRUNCATE);
      for (std::size_t i = to.size() - 64; i < to.size(); ++i) CHECK_EQ(to[i], -1);
      next_is_right();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(world_size() <= 16);
  nothing_at_all();
  in_place_where_it_is_not_allowed();
  wrong_arguments();
  MPI_Barrier(MPI_COMM_WORLD);
  different_amounts();
  nothing_from_one();
  own_sizes_differ();
  MPI_Finalize();
  return 0;
}
