// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// MPI_Graph_create and its kin: every member knows the whole graph.

#include <algorithm>

#include "mpi/binding.hpp"
#include "mpi/comm.hpp"
#include "mpi/topology_args.hpp"

namespace hawser::mpi {

namespace {

const Graph* graph_of(const Comm* comm, const char* function, int& error) noexcept {
  return shape_of<Graph>(comm, "a graph (MPI_Graph_create)", function, error);
}

int check_graph(const Comm& comm, int nodes, const int* index, const int* edges, const char* function) {
  if (nodes < 0 || nodes > comm.size)
    return fail(&comm, MPI_ERR_ARG, function, fmt::format("nnodes is {}, the size is {}", nodes, comm.size));
  if (int bad = check_list(comm, nodes, index, "index", function)) return bad;
  for (int i = 0; i < nodes; ++i) {
    if (index[i] < (i == 0 ? 0 : index[i - 1]))
      return fail(&comm, MPI_ERR_ARG, function,
                  fmt::format("index[{}] is {}, less than before", i, index[i]));
  }
  const int count = nodes == 0 ? 0 : index[nodes - 1];
  if (int bad = check_list(comm, count, edges, "edges", function)) return bad;
  for (int i = 0; i < count; ++i) {
    if (edges[i] < 0 || edges[i] >= nodes)
      return fail(&comm, MPI_ERR_ARG, function,
                  fmt::format("edges[{}] is {}, of {} nodes", i, edges[i], nodes));
  }
  return MPI_SUCCESS;
}

int make_graph(Comm& parent, Graph graph, MPI_Comm* made, const char* function) {
  const int nodes = static_cast<int>(graph.index.size());
  if (int bad = create_of_first(parent, nodes, made, function)) return bad;
  if (*made == MPI_COMM_NULL) return MPI_SUCCESS;
  Comm* comm = object_of(*made);
  comm->topology = graph_topology(std::move(graph), comm->rank);
  return MPI_SUCCESS;
}

void copy_at_most(int room, const int* from, int count, int* to) noexcept {
  std::copy_n(from, std::max(0, std::min(room, count)), to);
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int, MPI_Comm* made) {
  const char* function = "MPI_Graph_create";
  Comm* parent = object_of(comm);
  if (int bad = check_comm(parent, function)) return bad;
  if (int bad = check_graph(*parent, nnodes, index, edges, function)) return bad;
  return guarded(function, [&] {
    const int count = nnodes == 0 ? 0 : index[nnodes - 1];
    return make_graph(*parent, {{index, index + nnodes}, {edges, edges + count}}, made, function);
  });
}
HAWSER_MPI_ALIAS(Graph_create)

int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank) {
  const char* function = "MPI_Graph_map";
  const Comm* on = object_of(comm);
  if (int bad = check_comm(on, function)) return bad;
  if (int bad = check_graph(*on, nnodes, index, edges, function)) return bad;
  *newrank = on->rank < nnodes ? on->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Graph_map)

int PMPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  int error = MPI_SUCCESS;
  const Graph* graph = graph_of(object_of(comm), "MPI_Graphdims_get", error);
  if (!graph) return error;
  *nnodes = static_cast<int>(graph->index.size());
  *nedges = static_cast<int>(graph->edges.size());
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Graphdims_get)

int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  int error = MPI_SUCCESS;
  const Graph* graph = graph_of(object_of(comm), "MPI_Graph_get", error);
  if (!graph) return error;
  copy_at_most(maxindex, graph->index.data(), static_cast<int>(graph->index.size()), index);
  copy_at_most(maxedges, graph->edges.data(), static_cast<int>(graph->edges.size()), edges);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Graph_get)

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* count) {
  const char* function = "MPI_Graph_neighbors_count";
  const Comm* on = object_of(comm);
  int error = MPI_SUCCESS;
  const Graph* graph = graph_of(on, function, error);
  if (!graph) return error;
  if (int bad = check_rank(*on, rank, function)) return bad;
  *count = graph->degree_of(rank);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Graph_neighbors_count)

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  const char* function = "MPI_Graph_neighbors";
  const Comm* on = object_of(comm);
  int error = MPI_SUCCESS;
  const Graph* graph = graph_of(on, function, error);
  if (!graph) return error;
  if (int bad = check_rank(*on, rank, function)) return bad;
  copy_at_most(maxneighbors, graph->edges.data() + graph->begin_of(rank), graph->degree_of(rank), neighbors);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Graph_neighbors)
