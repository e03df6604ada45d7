// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Probes: what has arrived is seen, what a thread has probed nobody else gets.
#include <atomic>
#include <thread>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

/// A message that has arrived is seen by the second call at the latest.
void iprobe_sees_what_is_there() {
  const std::size_t sizes[] = {0, 100, 200000};
  for (int round = 0; round < 60; ++round) {
    const std::size_t size = sizes[round % 3];
    if (world_rank() == 0) {
      std::vector<unsigned char> memory(size);
      MPI_Request request;
      MPI_Isend(memory.data(), static_cast<int>(size), MPI_BYTE, 1, 10 + round, MPI_COMM_WORLD, &request);
      tell(1);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (world_rank() == 1) {
      await(0);  // sent after the message
      int flag = 0;
      MPI_Status status;
      const int source = round % 2 == 0 ? 0 : MPI_ANY_SOURCE;
      const int tag = round % 4 < 2 ? 10 + round : MPI_ANY_TAG;
      for (int call = 0; call < 2 && !flag; ++call) MPI_Iprobe(source, tag, MPI_COMM_WORLD, &flag, &status);
      CHECK(flag);
      CHECK_EQ(status.MPI_SOURCE, 0);
      CHECK_EQ(status.MPI_TAG, 10 + round);
      int count = -1;
      MPI_Get_count(&status, MPI_BYTE, &count);
      CHECK_EQ(count, size);
      std::vector<unsigned char> memory(size);
      MPI_Recv(memory.data(), count, MPI_BYTE, 0, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      CHECK(!flag);
    }
    meet();
  }
}

/// Probe waits, and shows the message that a receive with the same arguments then gets.
void probe_waits() {
  if (world_rank() == 1) {
    MPI_Status status;
    tell(0);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK_EQ(status.MPI_TAG, 21);
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(value, 42);
  } else if (world_rank() == 0) {
    const int value = 42;
    await(1);
    MPI_Send(&value, 1, MPI_INT, 1, 21, MPI_COMM_WORLD);
  }
  meet();
}

void probes_itself() {
  const int me = world_rank();
  for (const int count : {0, 5, 100000}) {
    std::vector<int> out(count, me), in(count, -1);
    int flag = 0;
    MPI_Status status;
    MPI_Request request;
    MPI_Iprobe(0, 22, MPI_COMM_SELF, &flag, &status);
    CHECK(!flag);
    MPI_Isend(out.data(), count, MPI_INT, me, 22, MPI_COMM_WORLD, &request);
    for (int call = 0; call < 2 && !flag; ++call) MPI_Iprobe(me, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(flag);
    MPI_Probe(MPI_ANY_SOURCE, 22, MPI_COMM_WORLD, &status);
    CHECK_EQ(status.MPI_SOURCE, me);
    MPI_Recv(in.data(), count, MPI_INT, me, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in == out);
  }
  meet();
}

/// Four threads share what comes: each message goes to exactly one, whole. The last four tell them to stop.
void threads_share_by_mprobe() {
  constexpr int kCount = 2000, kStop = 30000, kThreads = 4;
  const auto size_of = [](int i) { return i % 50 == 49 ? 100000 : i % 5000; };
  if (world_rank() == 0) {
    std::vector<unsigned char> memory(100000);
    for (int i = 0; i < kCount; ++i) {
      fill(memory.data(), size_of(i), i);
      MPI_Send(memory.data(), size_of(i), MPI_BYTE, 1, i, MPI_COMM_WORLD);
    }
    for (int i = 0; i < kThreads; ++i) tell(1, kStop);
  } else if (world_rank() == 1) {
    std::vector<std::atomic<int>> seen(kCount);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::vector<unsigned char> memory(100000);
        for (;;) {
          MPI_Message message = MPI_MESSAGE_NULL;
          MPI_Status status;
          int flag = 0, count = -1;
          if (t % 2 == 0) {
            MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
          } else {
            while (!flag) MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
          }
          MPI_Get_count(&status, MPI_BYTE, &count);
          MPI_Mrecv(memory.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
          CHECK(message == MPI_MESSAGE_NULL);
          if (status.MPI_TAG == kStop) return;
          CHECK_EQ(count, size_of(status.MPI_TAG));
          CHECK(filled(memory.data(), count, status.MPI_TAG));
          ++seen[status.MPI_TAG];
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < kCount; ++i) CHECK_EQ(seen[i].load(), 1);
  }
  meet();
}

/// A probed message is out of reach of other receives; Imrecv fetches it.
void mprobe_takes_it_away() {
  if (world_rank() == 0) {
    for (int i = 0; i < 2; ++i) MPI_Send(&i, 1, MPI_INT, 1, 23, MPI_COMM_WORLD);
  } else if (world_rank() == 1) {
    MPI_Message message;
    MPI_Request request;
    int value = -1;
    MPI_Mprobe(0, 23, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(value, 1);
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    CHECK(message == MPI_MESSAGE_NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQ(value, 0);
  }
  meet();
}

void nobody_to_probe() {
  int flag = 0, count = -1;
  MPI_Status status;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
  MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status);
  CHECK(flag);
  MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(nullptr, 0, MPI_BYTE, &message, &status);
  CHECK(message == MPI_MESSAGE_NULL);
  CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK_EQ(count, 0);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  iprobe_sees_what_is_there();
  probe_waits();
  probes_itself();
  mprobe_takes_it_away();
  threads_share_by_mprobe();
  nobody_to_probe();
  MPI_Finalize();
  return 0;
}
