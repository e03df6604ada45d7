// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Communicators come and go; messages on a new one may be there before the receiver has it.
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr int kRounds = 200;

int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Each rank sends on at once, without waiting for the others to have the communicator.
void pass_around(MPI_Comm comm, int value) {
  const int rank = rank_in(comm), size = size_of(comm);
  std::vector<int> in(size, -1);
  std::vector<MPI_Request> requests(size);
  for (int peer = 0; peer < size; ++peer) {
    MPI_Isend(&value, 1, MPI_INT, peer, rank, comm, &requests[peer]);
  }
  for (int peer = 0; peer < size; ++peer) {
    MPI_Recv(&in[peer], 1, MPI_INT, MPI_ANY_SOURCE, peer, comm, MPI_STATUS_IGNORE);
    CHECK_EQ(in[peer], value);
  }
  MPI_Waitall(size, requests.data(), MPI_STATUSES_IGNORE);
}

void dup_and_free() {
  for (int i = 0; i < kRounds; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int result = -1;
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    CHECK_EQ(result, MPI_CONGRUENT);
    pass_around(comm, i);
    MPI_Comm_free(&comm);
    CHECK(comm == MPI_COMM_NULL);
  }
}

/// Halves with the ranks the other way round, and a communicator that not all get.
void split_and_free() {
  const int me = world_rank(), size = world_size();
  for (int i = 0; i < kRounds; ++i) {
    MPI_Comm half, some;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, size - me, &half);
    CHECK_EQ(size_of(half), (size + 1 - me % 2) / 2);
    CHECK_EQ(rank_in(half), size_of(half) - 1 - me / 2);
    MPI_Comm_split(MPI_COMM_WORLD, me == i % size ? MPI_UNDEFINED : 0, 0, &some);
    CHECK((some == MPI_COMM_NULL) == (me == i % size));
    pass_around(half, i);
    if (some != MPI_COMM_NULL) {
      pass_around(some, i);
      MPI_Comm_free(&some);
    }
    MPI_Comm_free(&half);
  }
}

/// A message for a communicator that the receiver makes only after it has seen another message.
void early_message() {
  MPI_Comm pair = MPI_COMM_NULL;
  const int me = world_rank();
  MPI_Group world, first_two;
  const int ranks[] = {0, 1};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, ranks, &first_two);
  for (int i = 0; i < kRounds && me < 2; ++i) {
    MPI_Comm_create_group(MPI_COMM_WORLD, first_two, i % 7, &pair);
    int value = -1;
    if (me == i % 2) {
      MPI_Send(&i, 1, MPI_INT, 1 - me, 0, pair);
    } else {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, MPI_STATUS_IGNORE);
      CHECK_EQ(value, i);
    }
    MPI_Comm_free(&pair);
  }
  MPI_Group_free(&first_two);
  MPI_Group_free(&world);
}

/// A communicator freed with a receive and a send under way lives until they are done.
void freed_while_in_use() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int me = world_rank(), size = world_size();
  std::vector<unsigned char> out(300000), in(300000);
  fill(out.data(), out.size(), me);
  MPI_Request requests[2];
  MPI_Irecv(in.data(), 300000, MPI_BYTE, (me + size - 1) % size, 1, comm, &requests[0]);
  MPI_Isend(out.data(), 300000, MPI_BYTE, (me + 1) % size, 1, comm, &requests[1]);
  MPI_Comm_free(&comm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(filled(in.data(), in.size(), (me + size - 1) % size));
}

/// The same, with requests that are freed while they are under way. What came is seen in its place alone.
void freed_with_freed_requests() {
  const int me = world_rank(), size = world_size();
  const int to = (me + 1) % size, from = (me + size - 1) % size;
  std::vector<unsigned char> out(300000);
  for (int i = 0; i < kRounds / 10; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<std::vector<unsigned char>> in(3, std::vector<unsigned char>(out.size()));
    fill(out.data(), out.size(), 100 * i + me);
    MPI_Request requests[6];
    MPI_Irecv(in[0].data(), 300000, MPI_BYTE, from, 0, comm, &requests[0]);
    MPI_Isend(out.data(), 300000, MPI_BYTE, to, 0, comm, &requests[1]);
    MPI_Issend(out.data(), 300000, MPI_BYTE, to, 1, comm, &requests[2]);
    MPI_Issend(out.data(), 8, MPI_BYTE, to, 2, comm, &requests[3]);
    MPI_Irecv(in[1].data(), 300000, MPI_BYTE, from, 1, comm, &requests[4]);
    MPI_Irecv(in[2].data(), 8, MPI_BYTE, MPI_ANY_SOURCE, 2, comm, &requests[5]);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
    MPI_Comm_free(&comm);
    const std::size_t sizes[] = {out.size(), out.size(), 8};
    for (int tag = 0; tag < 3; ++tag) {
      int flag = 0;
      while (!filled(in[tag].data(), sizes[tag], 100 * i + from)) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);  // nobody reads `out` any more
  }
}

/// More of them, one after the other, than there can be at a time: each leaves its context to the next.
void freed_requests_leave_contexts() {
  for (int i = 0; i < 33000; ++i) {
    MPI_Comm comm;
    MPI_Request receive, send;
    int out = i, in = -1, first = -1;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Irecv(&first, 1, MPI_INT, 0, 1, comm, &receive);
    MPI_Request_free(&receive);
    MPI_Issend(&out, 1, MPI_INT, 0, 2, comm, &send);
    MPI_Request_free(&send);
    MPI_Send(&out, 1, MPI_INT, 0, 1, comm);
    MPI_Recv(&in, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    CHECK_EQ(first, i);
    CHECK_EQ(in, i);
  }
}

void many_at_once() {
  std::vector<MPI_Comm> comms(100);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (std::size_t i = 0; i < comms.size(); ++i)
    pass_around(comms[comms.size() - 1 - i], static_cast<int>(i));
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

/// Ranks that share memory are all of them here; the name goes with a communicator and not with its copy.
void split_by_node_and_names() {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  CHECK_EQ(size_of(node), world_size());
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm_set_name(node, "the node");
  MPI_Comm_get_name(node, name, &length);
  CHECK_EQ(std::strcmp(name, "the node"), 0);
  CHECK_EQ(length, 8);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK_EQ(std::strcmp(name, "MPI_COMM_WORLD"), 0);
  MPI_Comm_free(&node);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  dup_and_free();
  split_and_free();
  early_message();
  freed_while_in_use();
  freed_with_freed_requests();
  if (world_rank() == 0) freed_requests_leave_contexts();
  many_at_once();
  split_by_node_and_names();
  MPI_Finalize();
  return 0;
}
