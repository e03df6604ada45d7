// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// All ways to complete requests, to ask for their state, and to call a receive off.
#include <algorithm>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr int kCount = 50;

/// Rank 1 sends messages with tags 0, 1, ... each time it is told a tag; rank 0 has receives for all of them.
struct Receives {
  int values[kCount];
  MPI_Request requests[kCount];

  Receives() {
    for (int i = 0; i < kCount; ++i) {
      values[i] = -1;
      MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    }
  }
  static void ask_for(int tag) { MPI_Send(&tag, 1, MPI_INT, 1, 1000, MPI_COMM_WORLD); }
  void check(int index, const MPI_Status& status) const {
    CHECK_EQ(values[index], index * 3);
    CHECK_EQ(status.MPI_TAG, index);
    CHECK_EQ(status.MPI_SOURCE, 1);
    CHECK(requests[index] == MPI_REQUEST_NULL);
  }
};

void serve() {
  for (int i = 0; i < kCount; ++i) {
    int tag = -1;
    MPI_Recv(&tag, 1, MPI_INT, 0, 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int value = tag * 3;
    MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
  }
}

void waitany() {
  Receives all;
  for (int i = kCount - 1; i >= 0; --i) {
    int index = -1;
    MPI_Status status;
    all.ask_for(i);
    MPI_Waitany(kCount, all.requests, &index, &status);
    CHECK_EQ(index, i);
    all.check(index, status);
  }
  int index = 0;
  MPI_Waitany(kCount, all.requests, &index, MPI_STATUS_IGNORE);
  CHECK_EQ(index, MPI_UNDEFINED);
}

void testany() {
  Receives all;
  for (int i = 0; i < kCount; ++i) {
    int index = 0, flag = 1;
    MPI_Status status;
    MPI_Testany(kCount, all.requests, &index, &flag, &status);
    CHECK(!flag);
    CHECK_EQ(index, MPI_UNDEFINED);
    const int wanted = (i * 7) % kCount;
    all.ask_for(wanted);
    while (!flag) MPI_Testany(kCount, all.requests, &index, &flag, &status);
    CHECK_EQ(index, wanted);
    all.check(index, status);
  }
  int index = 0, flag = 0;
  MPI_Testany(kCount, all.requests, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && index == MPI_UNDEFINED);
}

/// Completes in groups: each request once, with its own status.
void some(bool wait) {
  Receives all;
  for (int i = 0; i < kCount; ++i) all.ask_for((i * 11) % kCount);
  int left = kCount;
  while (left > 0) {
    int done = 0, indices[kCount];
    MPI_Status statuses[kCount];
    if (wait) {
      MPI_Waitsome(kCount, all.requests, &done, indices, statuses);
      CHECK(done >= 1);
    } else {
      MPI_Testsome(kCount, all.requests, &done, indices, statuses);
      CHECK(done >= 0);
    }
    for (int i = 0; i < done; ++i) all.check(indices[i], statuses[i]);
    left -= done;
  }
  CHECK_EQ(left, 0);
  int done = 0, indices[kCount];
  if (wait) MPI_Waitsome(kCount, all.requests, &done, indices, MPI_STATUSES_IGNORE);
  if (!wait) MPI_Testsome(kCount, all.requests, &done, indices, MPI_STATUSES_IGNORE);
  CHECK_EQ(done, MPI_UNDEFINED);
}

/// Testall completes all or none.
void testall() {
  Receives all;
  MPI_Status statuses[kCount];
  int flag = 1;
  for (int i = 0; i + 1 < kCount; ++i) all.ask_for(i);
  MPI_Wait(&all.requests[0], &statuses[0]);
  all.check(0, statuses[0]);
  MPI_Testall(kCount, all.requests, &flag, statuses);
  CHECK(!flag);
  CHECK(all.requests[1] != MPI_REQUEST_NULL);
  all.ask_for(kCount - 1);
  while (!flag) MPI_Testall(kCount, all.requests, &flag, statuses);
  for (int i = 1; i < kCount; ++i) all.check(i, statuses[i]);
  CHECK_EQ(statuses[0].MPI_SOURCE, MPI_ANY_SOURCE);  // of a null request: the empty status
}

/// The state can be looked at without completing the request.
void get_status() {
  Receives all;
  int flag = 1;
  MPI_Status status;
  MPI_Request_get_status(all.requests[3], &flag, &status);
  CHECK(!flag);
  for (int i = 0; i < kCount; ++i) all.ask_for(i);
  while (!flag) MPI_Request_get_status(all.requests[3], &flag, &status);
  CHECK_EQ(status.MPI_TAG, 3);
  CHECK(all.requests[3] != MPI_REQUEST_NULL);
  MPI_Waitall(kCount, all.requests, MPI_STATUSES_IGNORE);
  CHECK(
      std::all_of(all.requests, all.requests + kCount, [](MPI_Request r) { return r == MPI_REQUEST_NULL; }));
}

void null_requests() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int flag = 0, count = -1, cancelled = 1;
  MPI_Wait(&request, &status);
  CHECK_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK_EQ(count, 0);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(!cancelled);
  MPI_Test(&request, &flag, &status);
  CHECK(flag);
  MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE);
  MPI_Waitany(0, nullptr, &flag, MPI_STATUS_IGNORE);
  CHECK_EQ(flag, MPI_UNDEFINED);
}

/// A send that nobody waits for arrives all the same; its handle is gone at once.
void freed_send() {
  static std::vector<int> memory(100000);  // in use until it is known to have arrived
  if (world_rank() == 0) {
    MPI_Request request;
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<int>(i);
    MPI_Isend(memory.data(), static_cast<int>(memory.size()), MPI_INT, 1, 9, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    await(1);
  } else {
    MPI_Recv(memory.data(), static_cast<int>(memory.size()), MPI_INT, 0, 9, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    CHECK_EQ(memory.back(), 99999);
    tell(0);
  }
}

/// A cancelled receive takes no message; one that has its message cannot be cancelled.
void cancel() {
  if (world_rank() == 1) {
    const int value = 6;
    await(0);
    MPI_Send(&value, 1, MPI_INT, 0, 11, MPI_COMM_WORLD);
    await(0);
    return;
  }
  int first = -1, second = -1, cancelled = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&first, 1, MPI_INT, 1, 11, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(cancelled);
  tell(1);
  MPI_Probe(1, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(&second, 1, MPI_INT, 1, 11, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(!cancelled);
  CHECK_EQ(first, -1);
  CHECK_EQ(second, 6);
  tell(1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CHECK_EQ(world_size(), 2);
  if (world_rank() == 0) {
    waitany();
    testany();
    some(true);
    some(false);
    testall();
    get_status();
  } else {
    for (int i = 0; i < 6; ++i) serve();
  }
  null_requests();
  freed_send();
  cancel();
  meet();
  MPI_Finalize();
  return 0;
}
