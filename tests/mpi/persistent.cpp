// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Requests that are started again and again: what they move, how they end, and what an inactive one is to the
// calls that complete requests. With the argument "threads": by several threads at a time.
#include <thread>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

using SendInit = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
constexpr int kRounds = 6;

void check_empty(const MPI_Status& status) {
  int count = -1, cancelled = 1;
  CHECK_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK_EQ(count, 0);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(!cancelled);
}

void check_status(const MPI_Status& status, int source, int tag, std::size_t bytes) {
  int count = -1;
  CHECK_EQ(status.MPI_SOURCE, source);
  CHECK_EQ(status.MPI_TAG, tag);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK_EQ(count, bytes);
}

/// Every rank sends to its right, several rounds with the same two requests.
void ring(SendInit send_init, std::size_t size, int tag, MPI_Comm comm) {
  std::vector<char> out(size + 1), in(size + 1);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm own;
  MPI_Comm_dup(comm, &own);
  MPI_Recv_init(in.data(), static_cast<int>(size), MPI_BYTE, left(), tag, own, &requests[0]);
  send_init(out.data(), static_cast<int>(size), MPI_BYTE, right(), tag, own, &requests[1]);
  MPI_Comm_free(&own);  // lives on with the requests
  const MPI_Request handles[2] = {requests[0], requests[1]};
  for (int round = 0; round < kRounds; ++round) {
    const auto seed = [&](int rank) { return static_cast<std::uint64_t>(1000 * tag + 10 * round + rank); };
    fill(out.data(), size, seed(world_rank()));
    std::memset(in.data(), 0, size + 1);
    if (round % 2 == 0) MPI_Startall(2, requests);
    if (round % 2 == 1) {
      MPI_Start(&requests[0]);
      MPI_Start(&requests[1]);
    }
    if (round % 3 == 2) {
      for (int i = 0; i < 2; ++i) MPI_Wait(&requests[i], &statuses[i]);
    } else {
      MPI_Waitall(2, requests, statuses);
    }
    CHECK(filled(in.data(), size, seed(left())));
    CHECK_EQ(in[size], 0);
    check_status(statuses[0], left(), tag, size);
    for (int i = 0; i < 2; ++i) CHECK(requests[i] == handles[i]);
  }
  for (MPI_Request& request : requests) {
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
  }
}

void rings() {
  int tag = 0;
  for (const std::size_t size : {0, 1, 100, 5000, 70000, 400000}) {
    ring(MPI_Send_init, size, ++tag, MPI_COMM_WORLD);
    ring(MPI_Ssend_init, size, ++tag, MPI_COMM_WORLD);
  }
}

/// A ready send, for its receive was started before; types that are freed while the requests live.
void ready_and_types() {
  int out[12], in[12];
  MPI_Datatype every_second;
  MPI_Request send, receive;
  MPI_Type_vector(6, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Recv_init(in, 1, every_second, left(), 5, MPI_COMM_WORLD, &receive);
  MPI_Rsend_init(out, 1, every_second, right(), 5, MPI_COMM_WORLD, &send);
  MPI_Type_free(&every_second);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 12; ++i) out[i] = 100 * round + i;
    std::memset(in, 0, sizeof in);
    MPI_Start(&receive);
    meet();
    MPI_Start(&send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    for (int i = 0; i < 12; ++i) CHECK_EQ(in[i], i % 2 == 0 ? 100 * round + i : 0);
  }
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

void inactive() {
  int value = 0, flag = 0, index = 0, count = 0, indices[3];
  MPI_Status status, statuses[3];
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Recv_init(&value, 1, MPI_INT, world_rank(), 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&value, 1, MPI_INT, world_rank(), 7, MPI_COMM_WORLD, &requests[2]);
  const auto soil = [&] { std::memset(&status, 7, sizeof status); };
  for (const int i : {0, 2}) {
    soil();
    MPI_Wait(&requests[i], &status);
    check_empty(status);
    soil();
    MPI_Test(&requests[i], &flag, &status);
    CHECK(flag);
    check_empty(status);
    soil();
    flag = 0;
    MPI_Request_get_status(requests[i], &flag, &status);
    CHECK(flag);
    check_empty(status);
  }
  soil();
  MPI_Waitany(3, requests, &index, &status);
  CHECK_EQ(index, MPI_UNDEFINED);
  check_empty(status);
  soil();
  MPI_Testany(3, requests, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED);
  check_empty(status);
  MPI_Waitsome(3, requests, &count, indices, statuses);
  CHECK_EQ(count, MPI_UNDEFINED);
  MPI_Testsome(3, requests, &count, indices, statuses);
  CHECK_EQ(count, MPI_UNDEFINED);
  std::memset(statuses, 7, sizeof statuses);
  MPI_Waitall(3, requests, statuses);
  for (const MPI_Status& each : statuses) check_empty(each);
  MPI_Testall(3, requests, &flag, statuses);
  CHECK(flag);
  for (const int i : {0, 2}) {
    CHECK(requests[i] != MPI_REQUEST_NULL);
    MPI_Request_free(&requests[i]);
  }
}

/// Active ones among inactive ones: only they are completed, and then they are inactive themselves.
void some_active() {
  constexpr int kCount = 4;
  int values[kCount] = {}, index = -1, flag = 1, count = 0, indices[kCount];
  MPI_Status status, statuses[kCount];
  MPI_Request requests[kCount];
  const int me = world_rank();
  for (int i = 0; i < kCount; ++i)
    MPI_Recv_init(&values[i], 1, MPI_INT, me, 20 + i, MPI_COMM_WORLD, &requests[i]);
  const auto send = [&](int i) { MPI_Send(&i, 1, MPI_INT, me, 20 + i, MPI_COMM_WORLD); };
  MPI_Start(&requests[2]);
  MPI_Testany(kCount, requests, &index, &flag, &status);
  CHECK(!flag);
  CHECK_EQ(index, MPI_UNDEFINED);
  MPI_Testsome(kCount, requests, &count, indices, statuses);
  CHECK_EQ(count, 0);
  send(2);
  MPI_Waitany(kCount, requests, &index, &status);
  CHECK_EQ(index, 2);
  check_status(status, me, 22, sizeof(int));
  MPI_Waitany(kCount, requests, &index, &status);
  CHECK_EQ(index, MPI_UNDEFINED);
  MPI_Start(&requests[1]);
  MPI_Start(&requests[3]);
  send(1);
  send(3);
  for (int left = 2; left > 0; left -= count) {
    MPI_Waitsome(kCount, requests, &count, indices, statuses);
    CHECK(count >= 1 && count <= left);
    for (int i = 0; i < count; ++i) {
      CHECK(indices[i] == 1 || indices[i] == 3);
      check_status(statuses[i], me, 20 + indices[i], sizeof(int));
      CHECK_EQ(values[indices[i]], indices[i]);
    }
  }
  MPI_Waitsome(kCount, requests, &count, indices, statuses);
  CHECK_EQ(count, MPI_UNDEFINED);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

/// What is under way when its request is freed goes on.
void freed_while_active() {
  constexpr int kBytes = 500000;
  std::vector<char> out(kBytes), in(kBytes);
  fill(out.data(), kBytes, 1);
  MPI_Request send, receive;
  int last = 0;
  MPI_Send_init(out.data(), kBytes, MPI_BYTE, right(), 30, MPI_COMM_WORLD, &send);
  MPI_Recv_init(&last, 1, MPI_INT, left(), 31, MPI_COMM_WORLD, &receive);
  MPI_Start(&send);
  MPI_Start(&receive);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  CHECK(send == MPI_REQUEST_NULL && receive == MPI_REQUEST_NULL);
  MPI_Recv(in.data(), kBytes, MPI_BYTE, left(), 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(filled(in.data(), kBytes, 1));
  const int value = 4711;
  MPI_Send(&value, 1, MPI_INT, right(), 31, MPI_COMM_WORLD);
  tell(right());  // one after the other from the same rank: what came before has come
  await(left());
  CHECK_EQ(last, 4711);
  meet();  // all have what the freed sends carried
}

void cancelled() {
  int value = 0, flag = 0;
  const int me = world_rank();
  MPI_Request request;
  MPI_Status status;
  MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 3; ++round) {
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
    MPI_Start(&request);
    MPI_Send(&round, 1, MPI_INT, me, 40, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(!flag);
    CHECK_EQ(value, round);
    check_status(status, me, 40, sizeof(int));
  }
  MPI_Request_free(&request);
}

void wildcards_and_nobody() {
  int value = 0;
  MPI_Request receive, none[2];
  MPI_Status status;
  MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receive);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Send(&round, 1, MPI_INT, right(), 50 + round, MPI_COMM_WORLD);
    MPI_Start(&receive);
    MPI_Wait(&receive, &status);
    check_status(status, left(), 50 + round, sizeof(int));
    CHECK_EQ(value, round);
  }
  MPI_Request_free(&receive);
  MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none[0]);
  MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none[1]);
  for (int round = 0; round < 2; ++round) {
    MPI_Startall(2, none);
    MPI_Wait(&none[0], &status);
    check_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    MPI_Wait(&none[1], MPI_STATUS_IGNORE);
  }
  for (MPI_Request& request : none) MPI_Request_free(&request);
}

/// Messages of persistent requests and of others between two ranks are one sequence.
void order() {
  constexpr int kCount = 60;
  int out = 0, in = -1;
  MPI_Request send, receive;
  MPI_Send_init(&out, 1, MPI_INT, right(), 60, MPI_COMM_WORLD, &send);
  MPI_Recv_init(&in, 1, MPI_INT, left(), 60, MPI_COMM_WORLD, &receive);
  for (out = 0; out < kCount; ++out) {
    if (out % 3 == 0) {
      MPI_Send(&out, 1, MPI_INT, right(), 60, MPI_COMM_WORLD);
    } else {
      MPI_Start(&send);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
  }
  for (int i = 0; i < kCount; ++i) {
    if (i % 2 == 0) {
      MPI_Recv(&in, 1, MPI_INT, left(), 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Start(&receive);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    CHECK_EQ(in, i);
  }
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

void errors() {
  int value = 0, two[2] = {1, 2};
  const int me = world_rank(), size = world_size();
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request request = MPI_REQUEST_NULL, plain;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_EQ(class_of(MPI_Send_init(&value, 1, MPI_INT, size, 0, world, &request)), MPI_ERR_RANK);
  CHECK_EQ(class_of(MPI_Ssend_init(&value, -1, MPI_INT, me, 0, world, &request)), MPI_ERR_COUNT);
  CHECK_EQ(class_of(MPI_Rsend_init(&value, 1, MPI_INT, me, -7, world, &request)), MPI_ERR_TAG);
  CHECK_EQ(class_of(MPI_Recv_init(&value, 1, MPI_DATATYPE_NULL, me, 0, world, &request)), MPI_ERR_TYPE);
  CHECK_EQ(class_of(MPI_Recv_init(&value, 1, MPI_INT, me, 0, MPI_COMM_NULL, &request)), MPI_ERR_COMM);
  CHECK_EQ(class_of(MPI_Start(&request)), MPI_ERR_REQUEST);
  CHECK_EQ(class_of(MPI_Startall(1, &request)), MPI_ERR_REQUEST);
  MPI_Recv_init(&value, 1, MPI_INT, me, 70, world, &request);
  MPI_Irecv(&value, 1, MPI_INT, me, 71, world, &plain);
#ifdef HAWSER_MPI_H  // others do not look, and break
  CHECK_EQ(class_of(MPI_Startall(-1, &request)), MPI_ERR_COUNT);
  CHECK_EQ(class_of(MPI_Start(&plain)), MPI_ERR_REQUEST);
  CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
  CHECK_EQ(class_of(MPI_Start(&request)), MPI_ERR_REQUEST);
#else
  CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
#endif
  MPI_Cancel(&plain);
  MPI_Wait(&plain, MPI_STATUS_IGNORE);
  MPI_Send(two, 2, MPI_INT, me, 70, world);
  MPI_Status status;
  CHECK_EQ(class_of(MPI_Waitall(1, &request, &status)), MPI_ERR_IN_STATUS);
  CHECK_EQ(class_of(status.MPI_ERROR), MPI_ERR_TRUNCATE);
  CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);  // the next time is another time
  MPI_Send(two, 1, MPI_INT, me, 70, world);
  CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  CHECK_EQ(value, 1);
  MPI_Request_free(&request);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
}

/// Each thread has a communicator of its own; large messages are seen through by whichever thread polls.
void threads() {
  std::vector<MPI_Comm> comms(3);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> all;
  for (MPI_Comm comm : comms) {
    all.emplace_back([comm] {
      MPI_Request requests[4];
      std::vector<char> out(200000), in(200000);
      int small = 0, got = 0;
      const int bytes = static_cast<int>(in.size());
      MPI_Recv_init(in.data(), bytes, MPI_BYTE, left(), 1, comm, &requests[0]);
      MPI_Recv_init(&got, 1, MPI_INT, left(), 2, comm, &requests[1]);
      MPI_Ssend_init(out.data(), bytes, MPI_BYTE, right(), 1, comm, &requests[2]);
      MPI_Send_init(&small, 1, MPI_INT, right(), 2, comm, &requests[3]);
      for (int round = 0; round < 40; ++round) {
        small = round;
        fill(out.data(), out.size(), static_cast<std::uint64_t>(round));
        MPI_Startall(4, requests);
        int index = 0;
        while (index != MPI_UNDEFINED) MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
        CHECK_EQ(got, round);
        CHECK(filled(in.data(), in.size(), static_cast<std::uint64_t>(round)));
      }
      for (MPI_Request& request : requests) MPI_Request_free(&request);
    });
  }
  for (std::thread& thread : all) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  if (init_with_threads(argc, argv)) {
    threads();
  } else {
    rings();
    ready_and_types();
    inactive();
    some_active();
    freed_while_active();
    cancelled();
    wildcards_and_nobody();
    order();
    errors();
  }
  MPI_Finalize();
  return 0;
}
