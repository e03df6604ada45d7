// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Persistent collectives: each gives, again and again, what the blocking one gives. With the argument
// "threads": by several threads. Works with any number of ranks.
#include <functional>
#include <thread>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr int kEach = 3;  // items for each member
constexpr int kRounds = 5;

/// Of a call: what is read, what is written.
struct Data {
  std::vector<int> in, out;
};

struct Case {
  std::function<void(Data&, MPI_Comm, MPI_Request*)> init;
  std::function<void(Data&, MPI_Comm)> blocking;
};

/// Counts, places and types of unequal blocks, equal in all members.
struct Layout {
  std::vector<int> counts, displs, bytes;
  std::vector<MPI_Aint> long_bytes;
  std::vector<MPI_Datatype> types;

  explicit Layout(int blocks) {
    for (int i = 0; i < blocks; ++i) {
      counts.push_back(kEach - i % 2);
      displs.push_back((blocks - 1 - i) * kEach);
      bytes.push_back(displs.back() * static_cast<int>(sizeof(int)));
      long_bytes.push_back(bytes.back());
      types.push_back(MPI_INT);
    }
  }
};

/// `MPI_Name_init(ARGUMENTS, comm, info, request)` beside `MPI_Name(ARGUMENTS, comm)`; in the arguments, `d`
/// is the data.
#define CASE(Name, ...)                                                                                  \
  cases.push_back({[=](Data& d, MPI_Comm comm, MPI_Request* request) {                                   \
                     (void)d;                                                                            \
                     CHECK_EQ(MPI_##Name##_init(__VA_ARGS__ comm, MPI_INFO_NULL, request), MPI_SUCCESS); \
                   },                                                                                    \
                   [=](Data& d, MPI_Comm comm) {                                                         \
                     (void)d;                                                                            \
                     MPI_##Name(__VA_ARGS__ comm);                                                       \
                   }})
#define ALL_OF(list) (list)->data()

std::vector<Case> cases_on_all(const Layout* all, int root) {
  std::vector<Case> cases;
  const int own = all->counts[static_cast<std::size_t>(world_rank())];
  CASE(Barrier, );
  CASE(Bcast, d.out.data(), kEach, MPI_INT, root, );
  CASE(Gather, d.in.data(), kEach, MPI_INT, d.out.data(), kEach, MPI_INT, root, );
  CASE(Gatherv, d.in.data(), own, MPI_INT, d.out.data(), ALL_OF(&all->counts), ALL_OF(&all->displs), MPI_INT,
       root, );
  CASE(Scatter, d.in.data(), kEach, MPI_INT, d.out.data(), kEach, MPI_INT, root, );
  CASE(Scatterv, d.in.data(), ALL_OF(&all->counts), ALL_OF(&all->displs), MPI_INT, d.out.data(), own, MPI_INT,
       root, );
  CASE(Allgather, d.in.data(), kEach, MPI_INT, d.out.data(), kEach, MPI_INT, );
  CASE(Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, d.out.data(), kEach, MPI_INT, );
  CASE(Allgatherv, d.in.data(), own, MPI_INT, d.out.data(), ALL_OF(&all->counts), ALL_OF(&all->displs),
       MPI_INT, );
  CASE(Alltoall, d.in.data(), kEach, MPI_INT, d.out.data(), kEach, MPI_INT, );
  CASE(Alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, d.out.data(), kEach, MPI_INT, );
  CASE(Reduce, d.in.data(), d.out.data(), kEach, MPI_INT, MPI_SUM, root, );
  CASE(Allreduce, d.in.data(), d.out.data(), kEach, MPI_INT, MPI_MAX, );
  CASE(Allreduce, MPI_IN_PLACE, d.out.data(), kEach, MPI_INT, MPI_SUM, );
  CASE(Reduce_scatter, d.in.data(), d.out.data(), ALL_OF(&all->counts), MPI_INT, MPI_SUM, );
  CASE(Reduce_scatter_block, d.in.data(), d.out.data(), kEach, MPI_INT, MPI_SUM, );
  CASE(Scan, d.in.data(), d.out.data(), kEach, MPI_INT, MPI_SUM, );
  CASE(Exscan, d.in.data(), d.out.data(), kEach, MPI_INT, MPI_SUM, );
  return cases;
}

std::vector<Case> cases_with_counts_of_both(const Layout* give, const Layout* get) {
  std::vector<Case> cases;
  CASE(Alltoallv, d.in.data(), ALL_OF(&give->counts), ALL_OF(&give->displs), MPI_INT, d.out.data(),
       ALL_OF(&get->counts), ALL_OF(&get->displs), MPI_INT, );
  CASE(Alltoallw, d.in.data(), ALL_OF(&give->counts), ALL_OF(&give->bytes), ALL_OF(&give->types),
       d.out.data(), ALL_OF(&get->counts), ALL_OF(&get->bytes), ALL_OF(&get->types), );
  return cases;
}

std::vector<Case> cases_on_neighbors(const Layout* two) {
  std::vector<Case> cases;
  CASE(Neighbor_allgather, d.in.data(), kEach, MPI_INT, d.out.data(), kEach, MPI_INT, );
  CASE(Neighbor_allgatherv, d.in.data(), 2, MPI_INT, d.out.data(), ALL_OF(&two->counts), ALL_OF(&two->displs),
       MPI_INT, );
  CASE(Neighbor_alltoall, d.in.data(), kEach, MPI_INT, d.out.data(), kEach, MPI_INT, );
  CASE(Neighbor_alltoallv, d.in.data(), ALL_OF(&two->counts), ALL_OF(&two->displs), MPI_INT, d.out.data(),
       ALL_OF(&two->counts), ALL_OF(&two->displs), MPI_INT, );
  CASE(Neighbor_alltoallw, d.in.data(), ALL_OF(&two->counts), ALL_OF(&two->long_bytes), ALL_OF(&two->types),
       d.out.data(), ALL_OF(&two->counts), ALL_OF(&two->long_bytes), ALL_OF(&two->types), );
  return cases;
}

void refill(Data& data, int seed) {
  int next = 1000 * world_rank() + 100000 * seed;
  for (int& value : data.in) value = next++;
  for (int& value : data.out) value = next++;
}

/// All requests live at once; each is started several times with other data, one after the other or all
/// together.
void run(const std::vector<Case>& cases, MPI_Comm comm) {
  const std::size_t count = cases.size(), items = static_cast<std::size_t>(kEach * (world_size() + 2));
  std::vector<Data> data(count, Data{std::vector<int>(items), std::vector<int>(items)});
  std::vector<MPI_Request> requests(count);
  for (std::size_t i = 0; i < count; ++i) cases[i].init(data[i], comm, &requests[i]);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) refill(data[i], round + static_cast<int>(i));
    std::vector<Data> wanted = data;
    for (std::size_t i = 0; i < count; ++i) cases[i].blocking(wanted[i], comm);
    if (round % 2 == 0) {
      MPI_Startall(static_cast<int>(count), requests.data());
      MPI_Waitall(static_cast<int>(count), requests.data(), MPI_STATUSES_IGNORE);
    } else {
      for (MPI_Request& request : requests) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(request != MPI_REQUEST_NULL);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(data[i].in == wanted[i].in);
      for (std::size_t item = 0; item < items; ++item) CHECK_EQ(data[i].out[item], wanted[i].out[item]);
    }
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void all_cases(MPI_Comm comm) {
  const int size = world_size(), yes = 1;
  const Layout all(size), two(2);
  Layout give(size), get(size);  // what i gives to j depends on both alike
  for (int i = 0; i < size; ++i)
    give.counts[static_cast<std::size_t>(i)] = get.counts[static_cast<std::size_t>(i)] =
        1 + (world_rank() + i) % kEach;
  for (const int root : {0, size - 1}) run(cases_on_all(&all, root), comm);
  run(cases_with_counts_of_both(&give, &get), comm);
  MPI_Comm ring;
  MPI_Cart_create(comm, 1, &size, &yes, 0, &ring);
#ifndef HAWSER_MPI_H
  if (size > 2)
#endif
  {
    Layout equal(2);
    equal.counts = {2, 2};
    run(cases_on_neighbors(&equal), ring);
  }
  MPI_Comm_free(&ring);
}

void add(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

/// What a request needs may be freed after it is made; and one that is under way may be freed.
void freed_things() {
  MPI_Comm comm;
  MPI_Op op;
  MPI_Datatype pair;
  MPI_Request sum, bcast, last;
  static volatile int from_last = -1;  // written by whichever call makes progress
  int in = 0, out = 0, items[4];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Op_create(add, 1, &op);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Allreduce_init(&in, &out, 1, MPI_INT, op, comm, MPI_INFO_NULL, &sum);
  MPI_Bcast_init(items, 1, pair, 0, comm, MPI_INFO_NULL, &bcast);
  MPI_Bcast_init(const_cast<int*>(&from_last), 1, MPI_INT, world_size() - 1, comm, MPI_INFO_NULL, &last);
  MPI_Comm_free(&comm);
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
  for (int round = 0; round < kRounds; ++round) {
    in = world_rank() + round;
    for (int i = 0; i < 4; ++i) items[i] = 10 * world_rank() + round + i;
    MPI_Start(&sum);
    MPI_Start(&bcast);
    MPI_Wait(&bcast, MPI_STATUS_IGNORE);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
    CHECK_EQ(out, world_size() * (world_size() - 1) / 2 + round * world_size());
    for (int i = 0; i < 4; ++i) CHECK_EQ(items[i], (i % 2 == 0 ? 0 : 10 * world_rank()) + round + i);
  }
  MPI_Request_free(&sum);
  MPI_Request_free(&bcast);
  if (world_rank() == world_size() - 1) from_last = 77;
  MPI_Start(&last);
  MPI_Request_free(&last);
  for (int flag = 0; from_last != 77;)
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  meet();
}

/// The ranks start the same two in another order.
void other_order() {
#ifdef HAWSER_MPI_H
  int in[2] = {}, out[2] = {};
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i)
    MPI_Allreduce_init(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  for (int round = 0; round < kRounds; ++round) {
    in[0] = round;
    in[1] = 100 + round;
    const int first = (world_rank() + round) % 2;
    MPI_Start(&requests[first]);
    MPI_Start(&requests[1 - first]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK_EQ(out[0], world_size() * round);
    CHECK_EQ(out[1], world_size() * (100 + round));
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
#endif
}

void errors() {
  int in = 0, out = 0, error_class = 0;
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const auto expect = [&](int code, int wanted) {
    MPI_Error_class(code, &error_class);
    CHECK_EQ(error_class, wanted);
  };
  expect(MPI_Bcast_init(&in, 1, MPI_INT, world_size(), MPI_COMM_WORLD, MPI_INFO_NULL, &request),
         MPI_ERR_ROOT);
  expect(MPI_Allreduce_init(&in, &out, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
         MPI_ERR_COUNT);
#ifdef HAWSER_MPI_H
  expect(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, nullptr), MPI_ERR_ARG);
  expect(
      MPI_Neighbor_alltoall_init(&in, 1, MPI_INT, &out, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
      MPI_ERR_TOPOLOGY);
#endif
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void threads() {
  constexpr int kThreads = 3;
  MPI_Comm comms[kThreads];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> all;
  for (MPI_Comm comm : comms) {
    all.emplace_back([comm] {
      for (int i = 0; i < 3; ++i) all_cases(comm);
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
    all_cases(MPI_COMM_WORLD);
    freed_things();
    other_order();
    errors();
  }
  MPI_Finalize();
  return 0;
}
