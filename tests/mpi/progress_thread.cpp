// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Rank 1 computes, without a call to MPI, until a file appears; rank 0 makes that file once everything that
// needs rank 1's answer is over. First contact, too, falls into that time. progress_thread on|off LEVEL:
// "off" is the control: without the thread nothing of it ends.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLarge = 4 << 20, kSmall = 4000, kFlood = 2000;
constexpr int kTagMatched = 1, kTagLarge = 2, kTagFlood = 3;
constexpr auto kLongest = std::chrono::seconds(100);

std::string flag_file() {
  return "/tmp/hawser-progress-thread-" + std::to_string(::getppid());  // the launcher's
}

void compute_until_the_flag() {
  const auto until = Clock::now() + kLongest;
  while (::access(flag_file().c_str(), F_OK) != 0) {
    CHECK(Clock::now() < until);
    const auto pause = Clock::now() + std::chrono::microseconds(100);
    while (Clock::now() < pause) {
    }
  }
  ::unlink(flag_file().c_str());
}

void raise_flag() {
  const int fd = ::open(flag_file().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  CHECK(fd >= 0);
  ::close(fd);
}

/// Three that end at rank 0 only when rank 1 answers, or makes room.
void send_to_the_busy() {
  std::vector<unsigned char> data(kLarge);
  fill(data.data(), kLarge, 1);
  MPI_Ssend(data.data(), kSmall, MPI_BYTE, 1, kTagMatched, MPI_COMM_WORLD);
  MPI_Send(data.data(), kLarge, MPI_BYTE, 1, kTagLarge, MPI_COMM_WORLD);
  for (int i = 0; i < kFlood; ++i) {
    fill(data.data(), kSmall, static_cast<std::uint64_t>(i));
    MPI_Send(data.data(), kSmall, MPI_BYTE, 1, kTagFlood, MPI_COMM_WORLD);
  }
}

/// All ranks are in an operation of several rounds.
void reduce_with_the_busy(MPI_Request& request, std::vector<int>& in, std::vector<int>& out) {
  in.assign(1000, world_rank());
  out.assign(1000, -1);
  MPI_Iallreduce(in.data(), out.data(), 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
}

void be_the_busy() {
  std::vector<unsigned char> small(kSmall), large(kLarge);
  std::vector<int> in, out;
  MPI_Request request[3];
  MPI_Irecv(small.data(), kSmall, MPI_BYTE, 0, kTagMatched, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(large.data(), kLarge, MPI_BYTE, 0, kTagLarge, MPI_COMM_WORLD, &request[1]);
  reduce_with_the_busy(request[2], in, out);
  compute_until_the_flag();
  MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
  CHECK(filled(small.data(), kSmall, 1));
  CHECK(filled(large.data(), kLarge, 1));
  CHECK_EQ(out[999], world_size() * (world_size() - 1) / 2);
  for (int i = 0; i < kFlood; ++i) {
    MPI_Recv(small.data(), kSmall, MPI_BYTE, 0, kTagFlood, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(filled(small.data(), kSmall, static_cast<std::uint64_t>(i)));
  }
}

void be_another() {
  std::vector<int> in, out;
  MPI_Request request;
  reduce_with_the_busy(request, in, out);
  if (world_rank() == 0) send_to_the_busy();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(out[0], world_size() * (world_size() - 1) / 2);
  // Only when nobody needs rank 1 any more.
  if (world_rank() == 0) {
    for (int rank = 2; rank < world_size(); ++rank) await(rank);
    raise_flag();
  } else {
    tell(0);
  }
}

/// Without the thread rank 1 never answers: however long one looks, it is not over.
void control() {
  unsigned char byte = 7;
  MPI_Request request;
  if (world_rank() == 1) {
    MPI_Irecv(&byte, 1, MPI_BYTE, 0, kTagMatched, MPI_COMM_WORLD, &request);
    compute_until_the_flag();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (world_rank() == 0) {
    MPI_Issend(&byte, 1, MPI_BYTE, 1, kTagMatched, MPI_COMM_WORLD, &request);
    const auto until = Clock::now() + std::chrono::milliseconds(200);
    int done = 0;
    while (Clock::now() < until) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      CHECK(!done);
    }
    raise_flag();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "on", level = argc > 2 ? argv[2] : "single";
  const int required = level == "multiple" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = -1;
  MPI_Init_thread(&argc, &argv, required, &provided);
  CHECK_EQ(provided, required);  // whatever runs inside
  if (mode == "off") {
    control();
  } else if (world_rank() == 1) {
    be_the_busy();
  } else {
    be_another();
  }
  MPI_Finalize();
  return 0;
}
