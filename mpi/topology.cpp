// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace hawser::mpi {

std::vector<int> Grid::coords_of(int rank) const {
  std::vector<int> coords(dims.size());
  for (std::size_t d = dims.size(); d-- > 0; rank /= dims[d]) coords[d] = rank % dims[d];
  return coords;
}

std::optional<int> Grid::rank_at(const std::vector<int>& coords) const noexcept {
  int rank = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    int at = coords[d];
    if (at < 0 || at >= dims[d]) {
      if (!periods[d]) return std::nullopt;
      at = (at % dims[d] + dims[d]) % dims[d];
    }
    rank = rank * dims[d] + at;
  }
  return rank;
}

int Grid::shifted(int rank, int direction, std::int64_t distance) const {
  std::vector<int> coords = coords_of(rank);
  const auto d = static_cast<std::size_t>(direction);
  const std::int64_t at = coords[d] + distance;
  if (!periods[d] && (at < 0 || at >= dims[d])) return MPI_PROC_NULL;
  coords[d] = static_cast<int>((at % dims[d] + dims[d]) % dims[d]);
  return *rank_at(coords);
}

std::shared_ptr<const Topology> grid_topology(Grid grid, int rank) {
  auto topology = std::make_shared<Topology>();
  for (int d = 0; d < grid.dimensions(); ++d) {
    for (const int distance : {-1, 1}) topology->sources.push_back(grid.shifted(rank, d, distance));
  }
  topology->destinations = topology->sources;
  topology->shape = std::move(grid);
  return topology;
}

std::shared_ptr<const Topology> graph_topology(Graph graph, int rank) {
  auto topology = std::make_shared<Topology>();
  const auto first = graph.edges.begin() + graph.begin_of(rank);
  topology->sources.assign(first, first + graph.degree_of(rank));
  topology->destinations = topology->sources;
  topology->shape = std::move(graph);
  return topology;
}

namespace {

/// Factors of `nodes` into [out, end), falling, none above `most`: the first as small as can be, then the
/// next, and so on. False: there are none.
bool factor(int nodes, int most, int* out, const int* end) {
  if (out == end) return nodes == 1;
  const auto can_be = [&](int largest) {  // so many factors of at most that reach `nodes`
    std::int64_t product = 1;
    for (const int* it = out; it != end && product < nodes; ++it) product *= largest;
    return product >= nodes;
  };
  std::vector<int> divisors;
  for (int d = 1; std::int64_t{d} * d <= nodes; ++d) {
    if (nodes % d != 0) continue;
    divisors.push_back(d);
    divisors.push_back(nodes / d);
  }
  std::sort(divisors.begin(), divisors.end());
  for (const int d : divisors) {
    if (d > most) return false;
    if (!can_be(d) || !factor(nodes / d, d, out + 1, end)) continue;
    *out = d;
    return true;
  }
  return false;
}

}  // namespace

bool fill_dims(int nodes, std::vector<int>& dims) {
  std::int64_t given = 1;
  std::size_t open = 0;
  for (const int dim : dims) {
    if (dim == 0) {
      ++open;
    } else if ((given *= dim) > nodes) {
      return false;
    }
  }
  if (nodes % given != 0) return false;
  const int rest = nodes / static_cast<int>(given);
  std::vector<int> factors(open);
  if (!factor(rest, rest, factors.data(), factors.data() + open)) return false;
  auto next = factors.begin();
  for (int& dim : dims) {
    if (dim == 0) dim = *next++;
  }
  return true;
}

std::optional<int> nodes_of(const std::vector<int>& dims) noexcept {
  std::int64_t nodes = 1;
  for (const int dim : dims) {
    if ((nodes *= dim) > std::numeric_limits<int>::max()) return std::nullopt;
  }
  return static_cast<int>(nodes);
}

}  // namespace hawser::mpi
