// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A receive that is too short gets its error and what fits; all that follows is as good as ever.
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

void good_messages(int source, int receiver) {
  constexpr int kCount = 1000;
  std::vector<unsigned char> memory(70000);
  for (int i = 0; i < kCount; ++i) {
    const std::size_t size = i % 100 == 99 ? 70000 : static_cast<std::size_t>(i);
    if (world_rank() == source) {
      fill(memory.data(), size, i);
      MPI_Send(memory.data(), static_cast<int>(size), MPI_BYTE, receiver, 3, MPI_COMM_WORLD);
    } else if (world_rank() == receiver) {
      MPI_Status status;
      CHECK_EQ(MPI_Recv(memory.data(), 70000, MPI_BYTE, source, 3, MPI_COMM_WORLD, &status), MPI_SUCCESS);
      int got = -1;
      MPI_Get_count(&status, MPI_BYTE, &got);
      CHECK_EQ(got, size);
      CHECK(filled(memory.data(), size, i));
    }
  }
}

enum class How { kWait, kWaitall, kWaitany, kTestsome };

/// The error of the first of two requests, by each way of completing it; the other is good.
void expect_truncated(MPI_Request (&requests)[2], How how, MPI_Status& status) {
  MPI_Status statuses[2];
  int index = -1, indices[2], done = 0;
  if (how == How::kWait) {
    CHECK_EQ(MPI_Wait(&requests[0], &status), MPI_ERR_TRUNCATE);
  } else if (how == How::kWaitall) {
    CHECK_EQ(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
    CHECK_EQ(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
    status = statuses[0];
  } else if (how == How::kWaitany) {
    CHECK_EQ(MPI_Waitany(1, requests, &index, &status), MPI_ERR_TRUNCATE);
    CHECK_EQ(index, 0);
  } else {
    int result = MPI_SUCCESS;
    while (done == 0) result = MPI_Testsome(1, requests, &done, indices, statuses);
    CHECK_EQ(result, MPI_ERR_IN_STATUS);
    CHECK_EQ(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    status = statuses[0];
  }
  CHECK(requests[0] == MPI_REQUEST_NULL);
  CHECK_EQ(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
}

void truncated(std::size_t size, std::size_t room, bool expected, How how) {
  if (world_rank() == 0) {
    std::vector<unsigned char> memory(size);
    fill(memory.data(), size, size);
    MPI_Request requests[2];
    if (expected) await(1);
    MPI_Isend(memory.data(), static_cast<int>(size), MPI_BYTE, 1, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(memory.data(), 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &requests[1]);
    if (!expected) tell(1);
    CHECK_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  } else {
    std::vector<unsigned char> memory(size, 0xee);
    unsigned char other[8];
    MPI_Request requests[2];
    if (!expected) await(0);
    MPI_Irecv(memory.data(), static_cast<int>(room), MPI_BYTE, 0, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(other, 8, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &requests[1]);
    if (expected) tell(0);
    MPI_Status status;
    expect_truncated(requests, how, status);
    CHECK_EQ(status.MPI_SOURCE, 0);
    CHECK_EQ(status.MPI_TAG, 4);
    CHECK(filled(memory.data(), room, size));
    CHECK(all_are(memory.data() + room, size - room, 0xee));
    CHECK(filled(other, 8, size));
  }
  good_messages(0, 1);
  good_messages(1, 0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const std::size_t sizes[] = {64, 4096, 65536, 65537, 3u << 20};
  int turn = 0;
  for (const std::size_t size : sizes) {
    for (const bool expected : {true, false}) {
      truncated(size, 0, expected, How::kWait);
      truncated(size, size / 16 * 8, expected, static_cast<How>(turn++ % 4));
      truncated(size, size - 8, expected, static_cast<How>(turn++ % 4));
    }
  }
  meet();
  MPI_Finalize();
  return 0;
}
