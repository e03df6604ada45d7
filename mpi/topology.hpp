// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "mpi/handles.hpp"

namespace hawser::mpi {

/// A grid: ranks in row-major order.
struct Grid {
  std::vector<int> dims;
  std::vector<bool> periods;

  int dimensions() const noexcept { return static_cast<int>(dims.size()); }
  std::vector<int> coords_of(int rank) const;
  /// No value: outside, in a dimension that does not wrap.
  std::optional<int> rank_at(const std::vector<int>& coords) const noexcept;
  /// The rank `distance` away in dimension `direction`; MPI_PROC_NULL: outside.
  int shifted(int rank, int direction, std::int64_t distance) const;
};

/// Every member knows all of it: the neighbours of rank i are edges[index[i - 1]] to edges[index[i] - 1].
struct Graph {
  std::vector<int> index;
  std::vector<int> edges;

  int begin_of(int rank) const noexcept { return rank == 0 ? 0 : index[static_cast<std::size_t>(rank) - 1]; }
  int degree_of(int rank) const noexcept { return index[static_cast<std::size_t>(rank)] - begin_of(rank); }
};

/// Every member knows its own edges, which are the neighbours of the topology.
struct DistGraph {
  bool weighted = false;
  std::vector<int> source_weights;
  std::vector<int> destination_weights;
};

/// What a communicator's members are to each other. Immutable, shared by duplicates.
struct Topology {
  std::variant<Grid, Graph, DistGraph> shape;
  // Of this member, in the order of neighbourhood collectives. MPI_PROC_NULL: the edge of a grid.
  std::vector<int> sources;
  std::vector<int> destinations;
};

std::shared_ptr<const Topology> grid_topology(Grid grid, int rank);
std::shared_ptr<const Topology> graph_topology(Graph graph, int rank);

/// Sets those of `dims` that are zero, so that all multiply to `nodes`: as equal as can be, falling. False:
/// it cannot be.
bool fill_dims(int nodes, std::vector<int>& dims);

/// The number of a grid's nodes; no value: more than an int holds.
std::optional<int> nodes_of(const std::vector<int>& dims) noexcept;

}  // namespace hawser::mpi
