// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Topologies: grids, graphs, distributed graphs, and what the calls on them say. Works with any number of
// ranks.
#include <algorithm>
#include <climits>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

#ifdef HAWSER_MPI_H
constexpr bool kOthers = false;
#else
constexpr bool kOthers = true;  // where the same is run elsewhere, for comparison: what they do otherwise
#endif
constexpr int kLeastPart = kOthers ? 1 : 0;  // of grids of no dimension

void check_equal_lists(const std::vector<int>& got, const std::vector<int>& wanted) {
  CHECK_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK_EQ(got[i], wanted[i]);
}

std::vector<int> dims_of(int nodes, std::vector<int> dims) {
  CHECK_EQ(MPI_Dims_create(nodes, static_cast<int>(dims.size()), dims.data()), MPI_SUCCESS);
  return dims;
}

void dims() {
  check_equal_lists(dims_of(6, {0, 0}), {3, 2});
  check_equal_lists(dims_of(7, {0, 0}), {7, 1});
  check_equal_lists(dims_of(6, {0, 3, 0}), {2, 3, 1});
  check_equal_lists(dims_of(12, {0, 0}), {4, 3});
  check_equal_lists(dims_of(64, {0, 0, 0}), {4, 4, 4});
  check_equal_lists(dims_of(60, {0, 0, 0}), {5, 4, 3});
  check_equal_lists(dims_of(1000, {0, 0, 0}), {10, 10, 10});
  check_equal_lists(dims_of(36, {0, 2, 0}), {6, 2, 3});
  check_equal_lists(dims_of(5, {5}), {5});
  for (int nodes = 1; nodes < 200; ++nodes) {
    for (std::size_t count = 1; count < 5; ++count) {
      const std::vector<int> made = dims_of(nodes, std::vector<int>(count, 0));
      int product = 1;
      for (std::size_t d = 0; d < count; ++d) {
        product *= made[d];
        CHECK(d == 0 || made[d] <= made[d - 1]);
      }
      CHECK_EQ(product, nodes);
    }
  }
}

/// All grids of up to three dimensions on `nodes` ranks, with each choice of what wraps.
template <class Visit>
void each_grid(int nodes, Visit&& visit) {
  for (int first = 1; first <= nodes; ++first) {
    if (nodes % first != 0) continue;
    for (int wraps = 0; wraps < 8; ++wraps) {
      const int periods[3] = {wraps & 1, wraps / 2 % 2, wraps / 4};
      const int all[3] = {first, nodes / first, 1};
      for (int count = first == nodes ? 1 : 2; count <= 3; ++count) visit(count, all, periods);
    }
  }
}

void check_grid(MPI_Comm comm, int count, const int* dims, const int* periods) {
  int kind = 0, got_count = -1, me = -1, size = -1;
  MPI_Topo_test(comm, &kind);
  CHECK_EQ(kind, MPI_CART);
  MPI_Cartdim_get(comm, &got_count);
  CHECK_EQ(got_count, count);
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  int got_dims[3] = {}, got_periods[3] = {}, coords[3] = {};
  MPI_Cart_get(comm, count, got_dims, got_periods, coords);
  int rank = -1;
  MPI_Cart_rank(comm, coords, &rank);
  CHECK_EQ(rank, me);
  for (int d = 0; d < count; ++d) {
    CHECK_EQ(got_dims[d], dims[d]);
    CHECK_EQ(got_periods[d] != 0, periods[d] != 0);
    for (const int distance : {1, -1, 0, 2, -7, INT_MIN, INT_MAX}) {
      int source = -5, dest = -5;
      MPI_Cart_shift(comm, d, distance, &source, &dest);
      const auto at = [&](long long step) {
        int there[3] = {coords[0], coords[1], coords[2]};
        const long long moved = coords[d] + step;
        if (!periods[d] && (moved < 0 || moved >= dims[d])) return MPI_PROC_NULL;
        there[d] = static_cast<int>(moved % dims[d]);
        int found = -1;
        MPI_Cart_rank(comm, there, &found);
        return found;
      };
      CHECK_EQ(dest, at(distance));
      CHECK_EQ(source, at(-static_cast<long long>(distance)));
    }
  }
  for (int other = 0; other < size; ++other) {
    int there[3] = {};
    MPI_Cart_coords(comm, other, count, there);
    MPI_Cart_rank(comm, there, &rank);
    CHECK_EQ(rank, other);
    int row_major = 0;
    for (int d = 0; d < count; ++d) row_major = row_major * dims[d] + there[d];
    CHECK_EQ(row_major, other);
  }
}

/// The parts of a grid are grids.
void check_sub(MPI_Comm comm, int count, const int* dims, const int* periods) {
  int coords[3] = {}, ignored[3], me = -1;
  MPI_Comm_rank(comm, &me);
  MPI_Cart_get(comm, count, ignored, ignored, coords);
  MPI_Cart_coords(comm, me, count, coords);
  for (int mask = kLeastPart; mask < 1 << count; ++mask) {
    int remain[3] = {}, left[3] = {}, left_periods[3] = {}, left_count = 0, rank = 0;
    for (int d = 0; d < count; ++d) {
      remain[d] = mask >> d & 1;
      if (!remain[d]) continue;
      rank = rank * dims[d] + coords[d];
      left_periods[left_count] = periods[d];
      left[left_count++] = dims[d];
    }
    MPI_Comm part;
    MPI_Cart_sub(comm, remain, &part);
    int my_rank = -1, size = -1, wanted = 1;
    MPI_Comm_rank(part, &my_rank);
    MPI_Comm_size(part, &size);
    for (int d = 0; d < left_count; ++d) wanted *= left[d];
    CHECK_EQ(my_rank, rank);
    CHECK_EQ(size, wanted);
    check_grid(part, left_count, left, left_periods);
    MPI_Comm_free(&part);
  }
}

void grids() {
  for (const int nodes : {world_size(), world_size() - 1}) {
    if (nodes == 0) continue;
    each_grid(nodes, [&](int count, const int* dims, const int* periods) {
      MPI_Comm comm, copy;
      int mapped = -7;
      MPI_Cart_map(MPI_COMM_WORLD, count, dims, periods, &mapped);
      MPI_Cart_create(MPI_COMM_WORLD, count, dims, periods, 0, &comm);
      if (world_rank() >= nodes) {
        CHECK(comm == MPI_COMM_NULL);
        CHECK(mapped == MPI_UNDEFINED || kOthers);
        return;
      }
      CHECK_EQ(mapped, world_rank());
      check_grid(comm, count, dims, periods);
      if (periods[0] == periods[1]) check_sub(comm, count, dims, periods);
      MPI_Comm_dup(comm, &copy);
      MPI_Comm_free(&comm);
      check_grid(copy, count, dims, periods);
      MPI_Comm_free(&copy);
    });
  }
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &comm);  // of one node
  CHECK_EQ(comm == MPI_COMM_NULL, world_rank() != 0);
  if (comm == MPI_COMM_NULL) return;
  int count = -1;
  MPI_Cartdim_get(comm, &count);
  CHECK_EQ(count, 0);
  MPI_Comm_free(&comm);
}

/// What is split from a grid is none.
void no_topology() {
  int kind = 0;
  const int size = world_size(), yes = 1;
  MPI_Comm grid, part;
  MPI_Topo_test(MPI_COMM_WORLD, &kind);
  CHECK_EQ(kind, MPI_UNDEFINED);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &yes, 0, &grid);
  MPI_Comm_split(grid, 0, 0, &part);
  MPI_Topo_test(part, &kind);
  CHECK_EQ(kind, MPI_UNDEFINED);
  MPI_Comm_free(&part);
  MPI_Comm_free(&grid);
}

/// A wheel: rank 0 has all others as neighbours, and each of them it and the next.
void graph() {
  const int size = world_size();
  std::vector<int> index, edges;
  edges.reserve(1);  // an address also where there are none
  for (int rank = 0; rank < size; ++rank) {
    for (int other = 1; rank == 0 && other < size; ++other) edges.push_back(other);
    if (rank != 0) edges.insert(edges.end(), {0, rank % (size - 1) + 1});
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm comm, copy;
  int mapped = -1, kind = 0, nodes = -1, count = -1;
  MPI_Graph_map(MPI_COMM_WORLD, size, index.data(), edges.data(), &mapped);
  CHECK_EQ(mapped, world_rank());
  MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), edges.data(), 0, &comm);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_free(&comm);
  MPI_Topo_test(copy, &kind);
  CHECK_EQ(kind, MPI_GRAPH);
  MPI_Graphdims_get(copy, &nodes, &count);
  CHECK_EQ(nodes, size);
  CHECK_EQ(count, edges.size());
  std::vector<int> got_index(index.size()), got_edges(edges.size());
  MPI_Graph_get(copy, nodes, count, got_index.data(), got_edges.data());
  check_equal_lists(got_index, index);
  check_equal_lists(got_edges, edges);
  for (int rank = 0; rank < size; ++rank) {
    const auto begin = static_cast<std::size_t>(rank == 0 ? 0 : index[static_cast<std::size_t>(rank) - 1]);
    const auto end = static_cast<std::size_t>(index[static_cast<std::size_t>(rank)]);
    MPI_Graph_neighbors_count(copy, rank, &count);
    CHECK_EQ(count, end - begin);
    std::vector<int> neighbors(end - begin);
    MPI_Graph_neighbors(copy, rank, count, neighbors.data());
    for (std::size_t i = begin; i < end; ++i) CHECK_EQ(neighbors[i - begin], edges[i]);
  }
  MPI_Comm_free(&copy);
  const int one = 0;  // a graph of fewer nodes than ranks
  MPI_Graph_create(MPI_COMM_WORLD, 1, &one, edges.data(), 1, &comm);
  CHECK_EQ(comm == MPI_COMM_NULL, world_rank() != 0);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

struct Lists {
  std::vector<int> sources, source_weights, destinations, destination_weights;
};

Lists lists_of(MPI_Comm comm, bool wanted_weights) {
  int in = -1, out = -1, weighted = -1, kind = 0;
  MPI_Topo_test(comm, &kind);
  CHECK_EQ(kind, MPI_DIST_GRAPH);
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  CHECK_EQ(weighted != 0, wanted_weights);
  const auto n = static_cast<std::size_t>(in), m = static_cast<std::size_t>(out);
  Lists lists{std::vector<int>(n), std::vector<int>(n), std::vector<int>(m), std::vector<int>(m)};
  MPI_Dist_graph_neighbors(
      comm, in, lists.sources.data(), weighted ? lists.source_weights.data() : MPI_UNWEIGHTED, out,
      lists.destinations.data(), weighted ? lists.destination_weights.data() : MPI_UNWEIGHTED);
  return lists;
}

void adjacent() {
  const int size = world_size(), me = world_rank();
  const std::vector<int> sources{(me + size - 1) % size, me, (me + size - 1) % size}, sw{5, 6, 7};
  const std::vector<int> destinations{(me + 1) % size, (me + 1) % size, me}, dw{5, 7, 6};
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources.data(), sw.data(), 3, destinations.data(),
                                 dw.data(), MPI_INFO_NULL, 0, &comm);
  Lists lists = lists_of(comm, true);
  check_equal_lists(lists.sources, sources);
  check_equal_lists(lists.source_weights, sw);
  check_equal_lists(lists.destinations, destinations);
  check_equal_lists(lists.destination_weights, dw);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources.data(), MPI_UNWEIGHTED, 3, destinations.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  lists = lists_of(comm, false);
  check_equal_lists(lists.sources, sources);
  check_equal_lists(lists.destinations, destinations);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_WEIGHTS_EMPTY, 0, nullptr, MPI_WEIGHTS_EMPTY,
                                 MPI_INFO_NULL, 0, &comm);
  lists = lists_of(comm, true);
  CHECK(lists.sources.empty() && lists.destinations.empty());
  MPI_Comm_free(&comm);
}

/// Each rank names edges of its right neighbour, which are for that to find.
void distributed() {
  const int size = world_size(), me = world_rank(), right = (me + 1) % size;
  const int sources[2] = {right, 0}, degrees[2] = {2, 1};
  const int destinations[3] = {(right + 2) % size, right, me}, weights[3] = {10 + right, 20 + right, 30 + me};
  MPI_Comm comm;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 2, sources, degrees, destinations, weights, MPI_INFO_NULL, 0, &comm);
  const Lists lists = lists_of(comm, true);
  std::vector<int> out, in;  // by weight, which tells all edges apart
  const auto edge = [&](int from, int to, int weight) {
    if (from == me) out.push_back(1000 * weight + to);
    if (to == me) in.push_back(1000 * weight + from);
  };
  for (int rank = 0; rank < size; ++rank) {
    edge(rank, (rank + 2) % size, 10 + rank);
    edge(rank, rank, 20 + rank);
    edge(0, rank, 30 + rank);
  }
  std::vector<int> got_out, got_in;
  for (std::size_t i = 0; i < lists.sources.size(); ++i)
    got_in.push_back(1000 * lists.source_weights[i] + lists.sources[i]);
  for (std::size_t i = 0; i < lists.destinations.size(); ++i)
    got_out.push_back(1000 * lists.destination_weights[i] + lists.destinations[i]);
  for (std::vector<int>* list : {&in, &out, &got_in, &got_out}) std::sort(list->begin(), list->end());
  check_equal_lists(got_in, in);
  check_equal_lists(got_out, out);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 0, nullptr, nullptr, nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                        &comm);
  CHECK(lists_of(comm, false).sources.empty());
  MPI_Comm_free(&comm);
}

void errors() {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int size = world_size(), yes = 1, large = size + 1, none = -1, nothing = 0;
  int dims[3] = {}, value = 0, coords[3] = {};
  MPI_Comm comm, grid, graph;
  MPI_Cart_create(world, 1, &size, &nothing, 0, &grid);
  MPI_Dist_graph_create(world, 0, nullptr, nullptr, nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  for (MPI_Comm each : {world, MPI_COMM_SELF, grid, graph}) MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN);
  dims[1] = 4;
  CHECK_CLASS(MPI_Dims_create(6, 3, dims), MPI_ERR_DIMS);
  dims[1] = -1;
  CHECK_CLASS(MPI_Dims_create(6, 3, dims), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cartdim_get(world, &value), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Graphdims_get(grid, &value, &value), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Cart_shift(graph, 0, 1, &value, &value), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Cart_coords(grid, size, 1, coords), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Topo_test(MPI_COMM_NULL, &value), MPI_ERR_COMM);
#ifdef HAWSER_MPI_H  // classes that the standard leaves open
  const int sources[1] = {size};
  CHECK_CLASS(MPI_Dims_create(0, 3, dims), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Dims_create(1, -1, dims), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_create(world, -1, &size, &yes, 0, &comm), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_create(world, 1, &large, &yes, 0, &comm), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_create(world, 1, &nothing, &yes, 0, &comm), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_create(world, 1, nullptr, &yes, 0, &comm), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Cart_map(world, 1, &large, &yes, &value), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_get(grid, 0, dims, dims, dims), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_coords(grid, 0, 0, coords), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Cart_rank(grid, &none, &value), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Cart_shift(grid, 1, 1, &value, &value), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Graph_create(world, large, &yes, &yes, 0, &comm), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Graph_create(world, 1, &none, &nothing, 0, &comm), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Graph_create(world, 1, &yes, &size, 0, &comm), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Dist_graph_create_adjacent(world, 1, sources, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED,
                                             MPI_INFO_NULL, 0, &comm),
              MPI_ERR_RANK);
  CHECK_CLASS(MPI_Dist_graph_create_adjacent(world, -1, sources, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED,
                                             MPI_INFO_NULL, 0, &comm),
              MPI_ERR_ARG);
  CHECK_CLASS(MPI_Dist_graph_create_adjacent(world, 1, &nothing, MPI_WEIGHTS_EMPTY, 0, nullptr,
                                             MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &comm),
              MPI_ERR_ARG);
  CHECK_CLASS(
      MPI_Dist_graph_create(world, 1, &nothing, &none, sources, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
      MPI_ERR_ARG);
  CHECK_CLASS(
      MPI_Dist_graph_create(world, 1, &nothing, &yes, sources, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
      MPI_ERR_RANK);
#else
  (void)yes, (void)large, (void)none, (void)comm;
#endif
  MPI_Comm_free(&grid);
  MPI_Comm_free(&graph);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  dims();
  grids();
  no_topology();
  graph();
  adjacent();
  distributed();
  errors();
  MPI_Finalize();
  return 0;
}
