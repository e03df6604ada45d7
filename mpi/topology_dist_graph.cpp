// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// MPI_Dist_graph_create and its kin: every member knows the edges that it is an end of.

#include <algorithm>

#include "mpi/binding.hpp"
#include "mpi/coll/coll.hpp"
#include "mpi/comm.hpp"
#include "mpi/topology_args.hpp"

namespace hawser::mpi {

namespace {

constexpr const char* kKind = "a distributed graph (MPI_Dist_graph_create)";

struct Edge {
  int source;
  int destination;
  int weight;
};

int check_ranks(const Comm& comm, int count, const int* ranks, const char* name, const char* function) {
  if (int bad = check_list(comm, count, ranks, name, function)) return bad;
  for (int i = 0; i < count; ++i) {
    if (ranks[i] < 0 || ranks[i] >= comm.size)
      return fail(&comm, MPI_ERR_RANK, function,
                  fmt::format("{}[{}] is {}, the size is {}", name, i, ranks[i], comm.size));
  }
  return MPI_SUCCESS;
}

/// MPI_WEIGHTS_EMPTY stands for a list of none.
int check_weights(const Comm& comm, int count, const int* weights, const char* function) {
  if (weights == MPI_UNWEIGHTED) return MPI_SUCCESS;
  if (count > 0 && weights == MPI_WEIGHTS_EMPTY)
    return fail(&comm, MPI_ERR_ARG, function,
                fmt::format("the weights of {} edges are MPI_WEIGHTS_EMPTY", count));
  return check_list(comm, count, weights, "weights", function);
}

std::vector<int> weights_of(const int* weights, int count) {
  if (weights == MPI_UNWEIGHTED || count == 0) return {};
  return {weights, weights + count};
}

int finish(Comm& parent, Topology topology, MPI_Comm* made, const char* function) {
  auto shared = std::make_shared<const Topology>(std::move(topology));
  if (int bad = create_of_all(parent, made, function)) return bad;
  object_of(*made)->topology = std::move(shared);
  return MPI_SUCCESS;
}

/// The edges that all members name, in one order that is the same everywhere: so that of several edges
/// between the same two the first of one end is the first of the other.
Errc gather_edges(Comm& comm, std::vector<Edge> mine, std::vector<Edge>& all) {
  const auto size = static_cast<std::size_t>(comm.size);
  const std::size_t count = mine.size();
  std::vector<std::size_t> counts(size);
  if (Errc error = coll::allgather_bytes(comm, &count, counts.data(), sizeof count); error != Errc::kOk)
    return error;
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  mine.resize(most);
  std::vector<Edge> rows(most * size);
  if (Errc error = coll::allgather_bytes(comm, mine.data(), rows.data(), most * sizeof(Edge));
      error != Errc::kOk)
    return error;
  for (std::size_t member = 0; member < size; ++member) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(member * most);
    all.insert(all.end(), row, row + static_cast<std::ptrdiff_t>(counts[member]));
  }
  return Errc::kOk;
}

Topology topology_of(const std::vector<Edge>& edges, int rank, bool weighted) {
  Topology topology;
  DistGraph graph{weighted, {}, {}};
  for (const Edge& edge : edges) {
    if (edge.destination == rank) {
      topology.sources.push_back(edge.source);
      if (weighted) graph.source_weights.push_back(edge.weight);
    }
    if (edge.source == rank) {
      topology.destinations.push_back(edge.destination);
      if (weighted) graph.destination_weights.push_back(edge.weight);
    }
  }
  topology.shape = std::move(graph);
  return topology;
}

int create_from_edges(Comm& parent, const std::vector<Edge>& mine, bool weighted, MPI_Comm* made,
                      const char* function) {
  std::vector<Edge> all;
  if (Errc error = gather_edges(parent, mine, all); error != Errc::kOk) return fail(&parent, error, function);
  return finish(parent, topology_of(all, parent.rank, weighted), made, function);
}

void copy_at_most(int room, const std::vector<int>& from, int* to) {
  if (room > 0) std::copy_n(from.begin(), std::min(static_cast<std::size_t>(room), from.size()), to);
}

void copy_weights(int room, const std::vector<int>& from, int* to) {
  if (to != MPI_UNWEIGHTED && to != MPI_WEIGHTS_EMPTY) copy_at_most(room, from, to);
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                    const int sourceweights[], int outdegree, const int destinations[],
                                    const int destweights[], MPI_Info, int, MPI_Comm* made) {
  const char* function = "MPI_Dist_graph_create_adjacent";
  Comm* parent = object_of(comm);
  if (int bad = check_comm(parent, function)) return bad;
  if (int bad = check_ranks(*parent, indegree, sources, "sources", function)) return bad;
  if (int bad = check_ranks(*parent, outdegree, destinations, "destinations", function)) return bad;
  if (int bad = check_weights(*parent, indegree, sourceweights, function)) return bad;
  if (int bad = check_weights(*parent, outdegree, destweights, function)) return bad;
  if ((sourceweights == MPI_UNWEIGHTED) != (destweights == MPI_UNWEIGHTED))
    return fail(parent, MPI_ERR_ARG, function, "only one of the two lists of weights is MPI_UNWEIGHTED");
  return guarded(function, [&] {
    const DistGraph graph{sourceweights != MPI_UNWEIGHTED, weights_of(sourceweights, indegree),
                          weights_of(destweights, outdegree)};
    Topology topology{graph, {sources, sources + indegree}, {destinations, destinations + outdegree}};
    return finish(*parent, std::move(topology), made, function);
  });
}
HAWSER_MPI_ALIAS(Dist_graph_create_adjacent)

int PMPI_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                           const int destinations[], const int weights[], MPI_Info, int, MPI_Comm* made) {
  const char* function = "MPI_Dist_graph_create";
  Comm* parent = object_of(comm);
  if (int bad = check_comm(parent, function)) return bad;
  if (int bad = check_ranks(*parent, n, sources, "sources", function)) return bad;
  if (int bad = check_list(*parent, n, degrees, "degrees", function)) return bad;
  int edges = 0;
  for (int i = 0; i < n; ++i) {
    if (degrees[i] < 0 || __builtin_add_overflow(edges, degrees[i], &edges))
      return fail(parent, MPI_ERR_ARG, function, fmt::format("degrees[{}] is {}", i, degrees[i]));
  }
  if (int bad = check_ranks(*parent, edges, destinations, "destinations", function)) return bad;
  if (int bad = check_weights(*parent, edges, weights, function)) return bad;
  return guarded(function, [&] {
    const bool weighted = weights != MPI_UNWEIGHTED;
    std::vector<Edge> mine;
    for (int i = 0, next = 0; i < n; ++i) {
      for (int end = next + degrees[i]; next < end; ++next)
        mine.push_back({sources[i], destinations[next], weighted ? weights[next] : 1});
    }
    return create_from_edges(*parent, mine, weighted, made, function);
  });
}
HAWSER_MPI_ALIAS(Dist_graph_create)

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  const Comm* on = object_of(comm);
  int error = MPI_SUCCESS;
  const DistGraph* graph = shape_of<DistGraph>(on, kKind, "MPI_Dist_graph_neighbors_count", error);
  if (!graph) return error;
  *indegree = static_cast<int>(on->topology->sources.size());
  *outdegree = static_cast<int>(on->topology->destinations.size());
  *weighted = graph->weighted;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Dist_graph_neighbors_count)

int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                              int maxoutdegree, int destinations[], int destweights[]) {
  const Comm* on = object_of(comm);
  int error = MPI_SUCCESS;
  const DistGraph* graph = shape_of<DistGraph>(on, kKind, "MPI_Dist_graph_neighbors", error);
  if (!graph) return error;
  copy_at_most(maxindegree, on->topology->sources, sources);
  copy_at_most(maxoutdegree, on->topology->destinations, destinations);
  copy_weights(maxindegree, graph->source_weights, sourceweights);
  copy_weights(maxoutdegree, graph->destination_weights, destweights);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Dist_graph_neighbors)
