// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Neighbourhood collectives, blocking and not, on grids and graphs: also where a neighbour is oneself, is
// missing, or is there more than once. Works with any number of ranks.
#include <functional>
#include <thread>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr int kUntouched = -99;
constexpr int kMost = 4;  // items of a block

/// Where a block comes from: the sender, and which of its destinations this is; none at the edge of a grid.
struct Origin {
  int rank;
  int slot;
};

/// A communicator, what it has for neighbours, and what must arrive from each source.
struct Neighborhood {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> sources, destinations;
  std::vector<Origin> origins;
};

/// Equal at both ends: any two ranks exchange blocks of one size.
int count_between(int a, int b) {
  return b == MPI_PROC_NULL ? 1 : 1 + (a + b) % kMost;
}

int value_of(const Origin& origin, int item) {
  return origin.rank * 1000 + origin.slot * 10 + item;
}

using Call = std::function<void(MPI_Request*)>;

/// The blocking form, or the other.
void run(const Call& call, bool waits) {
  if (waits) return call(nullptr);
  MPI_Request request;
  call(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void check_block(const Neighborhood& at, std::size_t i, const int* block, int count, bool by_slot) {
  for (int item = 0; item < kMost; ++item) {
    const bool comes = at.sources[i] != MPI_PROC_NULL && item < count;
    const Origin origin{at.origins[i].rank, by_slot ? at.origins[i].slot : 0};
    CHECK_EQ(block[item], comes ? value_of(origin, item) : kUntouched);
  }
}

std::vector<int> blocks_to_send(const Neighborhood& at) {
  int me = -1;
  MPI_Comm_rank(at.comm, &me);
  std::vector<int> out;
  for (std::size_t slot = 0; slot < at.destinations.size() + 1; ++slot) {
    for (int item = 0; item < kMost; ++item) out.push_back(value_of({me, static_cast<int>(slot)}, item));
  }
  return out;
}

void equal_blocks(const Neighborhood& at, bool waits) {
  const std::vector<int> out = blocks_to_send(at);
  std::vector<int> in(at.sources.size() * kMost + 1, kUntouched);
  const auto check = [&](bool by_slot) {
    for (std::size_t i = 0; i < at.sources.size(); ++i) check_block(at, i, &in[i * kMost], kMost, by_slot);
    CHECK_EQ(in.back(), kUntouched);
    in.assign(in.size(), kUntouched);
  };
  run(
      [&](MPI_Request* request) {
        request
            ? MPI_Ineighbor_alltoall(out.data(), kMost, MPI_INT, in.data(), kMost, MPI_INT, at.comm, request)
            : MPI_Neighbor_alltoall(out.data(), kMost, MPI_INT, in.data(), kMost, MPI_INT, at.comm);
      },
      waits);
  check(true);
  run(
      [&](MPI_Request* request) {
        request
            ? MPI_Ineighbor_allgather(out.data(), kMost, MPI_INT, in.data(), kMost, MPI_INT, at.comm, request)
            : MPI_Neighbor_allgather(out.data(), kMost, MPI_INT, in.data(), kMost, MPI_INT, at.comm);
      },
      waits);
  check(false);
}

/// Counts and places of blocks, in reverse order in memory.
struct Places {
  std::vector<int> counts, displs;
  std::vector<MPI_Aint> bytes;
  std::vector<MPI_Datatype> types;

  Places(const std::vector<int>& neighbors, int me, MPI_Datatype odd) {
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      const auto at = static_cast<int>((neighbors.size() - 1 - i) * kMost);
      counts.push_back(count_between(me, neighbors[i]));
      displs.push_back(at);
      bytes.push_back(static_cast<MPI_Aint>(at * sizeof(int)));
      types.push_back(i % 2 == 1 ? odd : MPI_INT);
    }
  }
};

void unequal_blocks(const Neighborhood& at, bool waits) {
  int me = -1;
  MPI_Comm_rank(at.comm, &me);
  MPI_Datatype odd;
  MPI_Type_contiguous(1, MPI_INT, &odd);
  MPI_Type_commit(&odd);
  const Places give(at.destinations, me, odd), get(at.sources, me, odd);
  const std::vector<int> straight = blocks_to_send(at);
  std::vector<int> out(straight.size()), in(at.sources.size() * kMost + 1, kUntouched);
  for (std::size_t i = 0; i < at.destinations.size(); ++i) {
    for (std::size_t item = 0; item < kMost; ++item)
      out[static_cast<std::size_t>(give.displs[i]) + item] = straight[i * kMost + item];
  }
  const auto check = [&](bool by_slot, int count) {
    for (std::size_t i = 0; i < at.sources.size(); ++i) {
      check_block(at, i, &in[static_cast<std::size_t>(get.displs[i])], count ? count : get.counts[i],
                  by_slot);
    }
    CHECK_EQ(in.back(), kUntouched);
    in.assign(in.size(), kUntouched);
  };
  run(
      [&](MPI_Request* request) {
        request
            ? MPI_Ineighbor_alltoallv(out.data(), give.counts.data(), give.displs.data(), MPI_INT, in.data(),
                                      get.counts.data(), get.displs.data(), MPI_INT, at.comm, request)
            : MPI_Neighbor_alltoallv(out.data(), give.counts.data(), give.displs.data(), MPI_INT, in.data(),
                                     get.counts.data(), get.displs.data(), MPI_INT, at.comm);
      },
      waits);
  check(true, 0);
  run(
      [&](MPI_Request* request) {
        request ? MPI_Ineighbor_alltoallw(out.data(), give.counts.data(), give.bytes.data(),
                                          give.types.data(), in.data(), get.counts.data(), get.bytes.data(),
                                          get.types.data(), at.comm, request)
                : MPI_Neighbor_alltoallw(out.data(), give.counts.data(), give.bytes.data(), give.types.data(),
                                         in.data(), get.counts.data(), get.bytes.data(), get.types.data(),
                                         at.comm);
      },
      waits);
  check(true, 0);
  const std::vector<int> three(at.sources.size(), 3);
  run(
      [&](MPI_Request* request) {
        request ? MPI_Ineighbor_allgatherv(straight.data(), 3, MPI_INT, in.data(), three.data(),
                                           get.displs.data(), MPI_INT, at.comm, request)
                : MPI_Neighbor_allgatherv(straight.data(), 3, MPI_INT, in.data(), three.data(),
                                          get.displs.data(), MPI_INT, at.comm);
      },
      waits);
  check(false, 3);
  MPI_Type_free(&odd);
}

/// Several under way at once, large, and the communicator freed before they end.
void in_flight(const Neighborhood& at) {
  constexpr int kCount = 30000, kCalls = 3;
  int me = -1;
  MPI_Comm_rank(at.comm, &me);
  std::vector<int> out(kCount), in[kCalls];
  MPI_Request requests[kCalls];
  MPI_Comm copy;
  for (int i = 0; i < kCount; ++i) out[static_cast<std::size_t>(i)] = me * kCount + i;
  MPI_Comm_dup(at.comm, &copy);
  for (int call = 0; call < kCalls; ++call) {
    in[call].resize(kCount * at.sources.size() + 1, kUntouched);
    MPI_Ineighbor_allgather(out.data(), kCount, MPI_INT, in[call].data(), kCount, MPI_INT, copy,
                            &requests[call]);
  }
  MPI_Comm_free(&copy);
  MPI_Waitall(kCalls, requests, MPI_STATUSES_IGNORE);
  for (const std::vector<int>& each : in) {
    for (std::size_t i = 0; i < at.sources.size(); ++i) {
      const bool comes = at.sources[i] != MPI_PROC_NULL;
      for (const int item : {0, kCount / 2, kCount - 1}) {
        CHECK_EQ(each[i * kCount + static_cast<std::size_t>(item)],
                 comes ? at.sources[i] * kCount + item : kUntouched);
      }
    }
  }
}

void all_calls(const Neighborhood& at) {
  for (const bool waits : {true, false}) {
    equal_blocks(at, waits);
    unequal_blocks(at, waits);
  }
}

/// What goes backwards in a dimension arrives from ahead, and the other way round.
void on_grid(int count, const int* dims, const int* periods, bool large) {
#ifndef HAWSER_MPI_H  // before MPI 4.0 it was open which of two messages between the same two is which
  for (int d = 0; d < count; ++d) {
    if (dims[d] <= 2 && periods[d]) return;
  }
#endif
  Neighborhood at;
  MPI_Cart_create(MPI_COMM_WORLD, count, dims, periods, 0, &at.comm);
  if (at.comm == MPI_COMM_NULL) return;
  for (int d = 0; d < count; ++d) {
    int behind = -1, ahead = -1;
    MPI_Cart_shift(at.comm, d, 1, &behind, &ahead);
    at.sources.insert(at.sources.end(), {behind, ahead});
    at.origins.insert(at.origins.end(), {{behind, 2 * d + 1}, {ahead, 2 * d}});
  }
  at.destinations = at.sources;
  all_calls(at);
  if (large) in_flight(at);
  MPI_Comm_free(&at.comm);
}

void grids() {
  const int size = world_size();
  for (int first = 1; first <= size; ++first) {
    if (size % first != 0) continue;
    for (int wraps = 0; wraps < 8; ++wraps) {
      const int dims[3] = {first, size / first, 1}, periods[3] = {wraps & 1, wraps / 2 % 2, wraps / 4};
      for (int count = first == size ? 1 : 2; count <= 3; ++count)
        on_grid(count, dims, periods, wraps == 1 && count < 3);
    }
  }
  const int two[2] = {2, 2}, both[2] = {1, 1};
  if (size >= 4) on_grid(2, two, both, false);  // with ranks that are not in it
  if (size >= 2) on_grid(1, two, both, true);
}

/// The k-th edge from a to b is the same to both of them.
void find_origins(Neighborhood& at, const std::vector<std::vector<int>>& destinations_of) {
  int me = -1;
  MPI_Comm_rank(at.comm, &me);
  std::vector<int> seen(destinations_of.size(), 0);
  for (const int source : at.sources) {
    const auto from = static_cast<std::size_t>(source);
    int left = seen[from]++;
    for (std::size_t slot = 0; slot < destinations_of[from].size(); ++slot) {
      if (destinations_of[from][slot] == me && left-- == 0)
        at.origins.push_back({source, static_cast<int>(slot)});
    }
  }
  CHECK_EQ(at.origins.size(), at.sources.size());
}

void graph() {
  const int size = world_size(), me = world_rank();
  std::vector<int> index, edges;
  std::vector<std::vector<int>> destinations_of;
  for (int rank = 0; rank < size; ++rank) {  // twice to both sides, and to oneself
    const int ahead = (rank + 1) % size, behind = (rank + size - 1) % size;
    destinations_of.push_back({ahead, behind, rank, ahead, behind});
    edges.insert(edges.end(), destinations_of.back().begin(), destinations_of.back().end());
    index.push_back(static_cast<int>(edges.size()));
  }
  Neighborhood at;
  MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), edges.data(), 0, &at.comm);
  at.sources = at.destinations = destinations_of[static_cast<std::size_t>(me)];
  find_origins(at, destinations_of);
  all_calls(at);
  MPI_Comm_free(&at.comm);
}

/// A graph with edges of one direction, some of them several times.
void distributed(bool adjacent) {
  const int size = world_size(), me = world_rank();
  std::vector<std::vector<int>> destinations_of(static_cast<std::size_t>(size));
  std::vector<int> sources;
  for (int rank = 0; rank < size; ++rank) {
    for (int edge = 0; edge < 4 + rank % 2; ++edge) {
      const int to = (rank * 3 + edge * edge) % size;
      destinations_of[static_cast<std::size_t>(rank)].push_back(to);
      if (to == me) sources.push_back(rank);
    }
  }
  const std::vector<int>& mine = destinations_of[static_cast<std::size_t>(me)];
  const int degree = static_cast<int>(mine.size());
  Neighborhood at;
  at.sources = sources;
  at.destinations = mine;
  if (adjacent) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                                   MPI_UNWEIGHTED, degree, mine.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &at.comm);
  } else {
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, mine.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &at.comm);
    MPI_Dist_graph_neighbors(at.comm, static_cast<int>(sources.size()), at.sources.data(), MPI_UNWEIGHTED,
                             degree, at.destinations.data(), MPI_UNWEIGHTED);
    destinations_of[static_cast<std::size_t>(me)] = at.destinations;
    for (int rank = 0; rank < size; ++rank) {  // the order of destinations is the library's
      auto& list = destinations_of[static_cast<std::size_t>(rank)];
      MPI_Bcast(list.data(), static_cast<int>(list.size()), MPI_INT, rank, MPI_COMM_WORLD);
    }
  }
  find_origins(at, destinations_of);
  all_calls(at);
  in_flight(at);
  MPI_Comm_free(&at.comm);
}

void errors() {
  const int size = world_size(), yes = 1;
  int out[64] = {}, in[64], error_class = 0;
  MPI_Request request;
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &yes, 0, &comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const auto expect = [&](int code, int wanted) {
    MPI_Error_class(code, &error_class);
    CHECK_EQ(error_class, wanted);
  };
  expect(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY);
  expect(MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &request),
         MPI_ERR_TOPOLOGY);
  expect(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
  expect(MPI_Neighbor_alltoall(out, -1, MPI_INT, in, 1, MPI_INT, comm), MPI_ERR_COUNT);
  expect(MPI_Neighbor_allgather(out, 1, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm), MPI_ERR_TYPE);
#ifdef HAWSER_MPI_H
  expect(MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, comm), MPI_ERR_BUFFER);
  expect(MPI_Neighbor_alltoall(out, 1, MPI_INT, nullptr, 1, MPI_INT, comm), MPI_ERR_BUFFER);
  expect(MPI_Neighbor_alltoallv(out, nullptr, nullptr, MPI_INT, in, nullptr, nullptr, MPI_INT, comm),
         MPI_ERR_ARG);
  expect(MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, nullptr), MPI_ERR_ARG);
#endif
  expect(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm), MPI_SUCCESS);
  MPI_Comm_free(&comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void threads() {
  constexpr int kThreads = 3;
  const int dims[1] = {world_size()}, periods[1] = {1};
  std::vector<std::thread> all;
  MPI_Comm comms[kThreads];
  for (MPI_Comm& comm : comms) MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);
  for (MPI_Comm comm : comms) {
    all.emplace_back([comm] {
      Neighborhood at;
      at.comm = comm;
      int behind = -1, ahead = -1;
      MPI_Cart_shift(comm, 0, 1, &behind, &ahead);
      at.sources = at.destinations = {behind, ahead};
      at.origins = {{behind, 1}, {ahead, 0}};
      for (int round = 0; round < 40; ++round) all_calls(at);
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
    grids();
    graph();
    distributed(true);
    distributed(false);
    errors();
  }
  MPI_Finalize();
  return 0;
}
