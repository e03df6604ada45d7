// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Which receive gets which message: order, wildcards, order of posting, and thousands of messages that wait.
#include <algorithm>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr int kMany = 20000;

/// Small and large messages of one tag arrive in the order of the sends. Unexpected: all are sent first.
void keeps_order(bool unexpected) {
  constexpr int kCount = 400, kLarge = 40000;
  const auto size_of = [](int i) { return i % 10 == 9 ? kLarge : 1 + i % 3; };
  std::vector<MPI_Request> requests(kCount);
  std::vector<std::vector<int>> buffers(kCount);
  if (world_rank() == 0) {
    if (!unexpected) await(1);
    for (int i = 0; i < kCount; ++i) {
      buffers[i].assign(size_of(i), i);
      MPI_Isend(buffers[i].data(), size_of(i), MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[i]);
    }
    if (unexpected) tell(1);
    MPI_Waitall(kCount, requests.data(), MPI_STATUSES_IGNORE);
  } else if (world_rank() == 1) {
    if (unexpected) await(0);
    for (int i = 0; i < kCount; ++i) {
      buffers[i].assign(kLarge, -1);
      MPI_Irecv(buffers[i].data(), kLarge, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[i]);
    }
    if (!unexpected) tell(0);
    std::vector<MPI_Status> statuses(kCount);
    MPI_Waitall(kCount, requests.data(), statuses.data());
    for (int i = 0; i < kCount; ++i) {
      int count = -1;
      MPI_Get_count(&statuses[i], MPI_INT, &count);
      CHECK_EQ(count, size_of(i));
      CHECK_EQ(buffers[i][0], i);
      CHECK_EQ(buffers[i][count - 1], i);
    }
  }
  meet();
}

/// Everybody sends to rank 0, which takes what comes: each sender's messages are in order, and none is
/// missing.
void takes_from_any() {
  constexpr int kCount = 500;
  if (world_rank() != 0) {
    for (int i = 0; i < kCount; ++i) MPI_Send(&i, 1, MPI_INT, 0, i % 5, MPI_COMM_WORLD);
  } else {
    std::vector<int> next(world_size(), 0);
    for (int i = 0; i < kCount * (world_size() - 1); ++i) {
      int value = -1;
      MPI_Status status;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK(status.MPI_SOURCE > 0 && status.MPI_SOURCE < world_size());
      CHECK_EQ(value, next[status.MPI_SOURCE]++);
      CHECK_EQ(status.MPI_TAG, value % 5);
    }
    for (int rank = 1; rank < world_size(); ++rank) CHECK_EQ(next[rank], kCount);
  }
  meet();
}

/// Of several receives that fit, the one posted first gets the message, whichever of them has wildcards.
void first_posted_first() {
  if (world_rank() == 0) {
    await(1);
    const int tags[] = {5, 5, 7, 5, 6, 5};
    for (int i = 0; i < 6; ++i) MPI_Send(&i, 1, MPI_INT, 1, tags[i], MPI_COMM_WORLD);
  } else if (world_rank() == 1) {
    const int any = MPI_ANY_SOURCE;
    const struct {
      int source, tag, value;
    } wanted[] = {{0, MPI_ANY_TAG, 0}, {any, 5, 1}, {any, MPI_ANY_TAG, 2},
                  {0, 6, 4},           {0, 5, 3},   {any, MPI_ANY_TAG, 5}};
    int values[6];
    MPI_Request requests[6];
    for (int i = 0; i < 6; ++i) {
      MPI_Irecv(&values[i], 1, MPI_INT, wanted[i].source, wanted[i].tag, MPI_COMM_WORLD, &requests[i]);
    }
    tell(0);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 6; ++i) CHECK_EQ(values[i], wanted[i].value);
  }
  meet();
}

/// Wildcard receives do not take what belongs to another communicator or tag space.
void wildcard_leaves_others() {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  if (world_rank() == 0) {
    const int first = 1, second = 2;
    MPI_Send(&first, 1, MPI_INT, 1, 3, other);
    MPI_Send(&second, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  } else if (world_rank() == 1) {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(value, 2);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE);
    CHECK_EQ(value, 1);
  }
  MPI_Comm_free(&other);
  meet();
}

/// Many messages wait to be received, in the worst order for a list.
void unexpected_backwards() {
  if (world_rank() == 0) {
    for (int i = 0; i < kMany; ++i) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    tell(1);
  } else if (world_rank() == 1) {
    await(0);
    for (int i = kMany - 1; i >= 0; --i) {
      int value = -1;
      MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_EQ(value, i);
    }
  }
  meet();
}

/// Many receives wait for messages, which come in the worst order.
void posted_backwards() {
  if (world_rank() == 0) {
    await(1);
    for (int i = kMany - 1; i >= 0; --i) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
  } else if (world_rank() == 1) {
    std::vector<int> values(kMany, -1);
    std::vector<MPI_Request> requests(kMany);
    for (int i = 0; i < kMany; ++i) MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    tell(0);
    MPI_Waitall(kMany, requests.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < kMany; ++i) CHECK_EQ(values[i], i);
  }
  meet();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  keeps_order(false);
  keeps_order(true);
  takes_from_any();
  first_posted_first();
  wildcard_leaves_others();
  unexpected_backwards();
  posted_backwards();
  MPI_Finalize();
  return 0;
}
