// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// MPI_Cart_create and its kin, MPI_Dims_create, MPI_Topo_test.

#include <algorithm>
#include <cstdint>

#include "mpi/binding.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"
#include "mpi/topology.hpp"
#include "mpi/topology_args.hpp"

namespace hawser::mpi {

namespace {

/// The grid of `comm`; null, with `error`: it has none.
const Grid* grid_of(const Comm* comm, const char* function, int& error) noexcept {
  return shape_of<Grid>(comm, "a grid (MPI_Cart_create)", function, error);
}

int check_dims(const Comm& comm, int count, const int* dims, const int* more, const char* function) noexcept {
  if (count < 0) return fail(&comm, MPI_ERR_DIMS, function, fmt::format("ndims is {}", count));
  if (count > 0 && (!dims || !more))
    return fail(&comm, MPI_ERR_ARG, function, "the list of dimensions or of periods is null");
  for (int d = 0; d < count; ++d) {
    if (dims[d] < 1)
      return fail(&comm, MPI_ERR_DIMS, function, fmt::format("dimension {} has {} nodes", d, dims[d]));
  }
  const std::optional<int> nodes = nodes_of({dims, dims + count});
  if (nodes && *nodes <= comm.size) return MPI_SUCCESS;
  return fail(&comm, MPI_ERR_DIMS, function,
              fmt::format("the grid has more nodes than {} has ranks, which are {}", comm.name, comm.size));
}

int check_room(const Comm& comm, const Grid& grid, int room, const char* function) noexcept {
  if (room >= grid.dimensions()) return MPI_SUCCESS;
  return fail(&comm, MPI_ERR_DIMS, function,
              fmt::format("maxdims is {}, but the grid has {} dimensions", room, grid.dimensions()));
}

Grid grid_from(int count, const int* dims, const int* periods) {
  Grid grid{{dims, dims + count}, {}};
  for (int d = 0; d < count; ++d) grid.periods.push_back(periods[d] != 0);
  return grid;
}

int make_grid(Comm& parent, const Grid& grid, MPI_Comm* made, const char* function) {
  if (int bad = create_of_first(parent, *nodes_of(grid.dims), made, function)) return bad;
  if (*made == MPI_COMM_NULL) return MPI_SUCCESS;
  Comm* comm = object_of(*made);
  comm->topology = grid_topology(grid, comm->rank);
  return MPI_SUCCESS;
}

/// Members with the same coordinates in the dimensions that go are one part.
int make_part(Comm& parent, const Grid& grid, const int* remain, MPI_Comm* made, const char* function) {
  const std::vector<int> coords = grid.coords_of(parent.rank);
  Grid part;
  int color = 0;
  int key = 0;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    int& number = remain[d] ? key : color;
    number = number * grid.dims[d] + coords[d];
    if (!remain[d]) continue;
    part.dims.push_back(grid.dims[d]);
    part.periods.push_back(grid.periods[d]);
  }
  if (int bad = split(parent, color, key, made, function)) return bad;
  Comm* comm = object_of(*made);
  comm->topology = grid_topology(std::move(part), comm->rank);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Dims_create(int nnodes, int ndims, int dims[]) {
  const char* function = "MPI_Dims_create";
  if (nnodes < 1) return fail(nullptr, MPI_ERR_ARG, function, fmt::format("nnodes is {}", nnodes));
  if (ndims < 0) return fail(nullptr, MPI_ERR_DIMS, function, fmt::format("ndims is {}", ndims));
  if (ndims == 0) return MPI_SUCCESS;
  if (!dims) return fail(nullptr, MPI_ERR_ARG, function, "dims is null");
  for (int d = 0; d < ndims; ++d) {
    if (dims[d] < 0)
      return fail(nullptr, MPI_ERR_DIMS, function, fmt::format("dimension {} is {}", d, dims[d]));
  }
  return guarded(function, [&] {
    std::vector<int> filled(dims, dims + ndims);
    if (!fill_dims(nnodes, filled))
      return fail(nullptr, MPI_ERR_DIMS, function,
                  fmt::format("the dimensions that are given do not divide {} nodes", nnodes));
    std::copy(filled.begin(), filled.end(), dims);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(Dims_create)

int PMPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int, MPI_Comm* made) {
  const char* function = "MPI_Cart_create";
  Comm* parent = object_of(comm);
  if (int bad = check_comm(parent, function)) return bad;
  return guarded(function, [&] {
    if (int bad = check_dims(*parent, ndims, dims, periods, function)) return bad;
    return make_grid(*parent, grid_from(ndims, dims, periods), made, function);
  });
}
HAWSER_MPI_ALIAS(Cart_create)

int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank) {
  const char* function = "MPI_Cart_map";
  const Comm* on = object_of(comm);
  if (int bad = check_comm(on, function)) return bad;
  return guarded(function, [&] {
    if (int bad = check_dims(*on, ndims, dims, periods, function)) return bad;
    *newrank = on->rank < *nodes_of({dims, dims + ndims}) ? on->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(Cart_map)

int PMPI_Cartdim_get(MPI_Comm comm, int* ndims) {
  int error = MPI_SUCCESS;
  const Grid* grid = grid_of(object_of(comm), "MPI_Cartdim_get", error);
  if (grid) *ndims = grid->dimensions();
  return error;
}
HAWSER_MPI_ALIAS(Cartdim_get)

int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  const char* function = "MPI_Cart_get";
  const Comm* on = object_of(comm);
  int error = MPI_SUCCESS;
  const Grid* grid = grid_of(on, function, error);
  if (!grid) return error;
  if (int bad = check_room(*on, *grid, maxdims, function)) return bad;
  return guarded(function, [&] {
    const std::vector<int> mine = grid->coords_of(on->rank);
    std::copy(grid->dims.begin(), grid->dims.end(), dims);
    std::copy(grid->periods.begin(), grid->periods.end(), periods);
    std::copy(mine.begin(), mine.end(), coords);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(Cart_get)

int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  const char* function = "MPI_Cart_coords";
  const Comm* on = object_of(comm);
  int error = MPI_SUCCESS;
  const Grid* grid = grid_of(on, function, error);
  if (!grid) return error;
  if (int bad = check_rank(*on, rank, function)) return bad;
  if (int bad = check_room(*on, *grid, maxdims, function)) return bad;
  return guarded(function, [&] {
    const std::vector<int> found = grid->coords_of(rank);
    std::copy(found.begin(), found.end(), coords);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(Cart_coords)

int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  const char* function = "MPI_Cart_rank";
  const Comm* on = object_of(comm);
  int error = MPI_SUCCESS;
  const Grid* grid = grid_of(on, function, error);
  if (!grid) return error;
  return guarded(function, [&] {
    const std::optional<int> found = grid->rank_at({coords, coords + grid->dimensions()});
    if (!found)
      return fail(on, MPI_ERR_ARG, function, "a coordinate is outside of a dimension that is not periodic");
    *rank = *found;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(Cart_rank)

int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
  const char* function = "MPI_Cart_shift";
  const Comm* on = object_of(comm);
  int error = MPI_SUCCESS;
  const Grid* grid = grid_of(on, function, error);
  if (!grid) return error;
  if (direction < 0 || direction >= grid->dimensions())
    return fail(on, MPI_ERR_DIMS, function,
                fmt::format("direction is {}, the grid has {} dimensions", direction, grid->dimensions()));
  return guarded(function, [&] {
    *rank_source = grid->shifted(on->rank, direction, -std::int64_t{disp});
    *rank_dest = grid->shifted(on->rank, direction, disp);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(Cart_shift)

int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* made) {
  const char* function = "MPI_Cart_sub";
  Comm* on = object_of(comm);
  int error = MPI_SUCCESS;
  const Grid* grid = grid_of(on, function, error);
  if (!grid) return error;
  return guarded(function, [&] { return make_part(*on, *grid, remain_dims, made, function); });
}
HAWSER_MPI_ALIAS(Cart_sub)

int PMPI_Topo_test(MPI_Comm comm, int* status) {
  constexpr int kKinds[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  const Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Topo_test")) return bad;
  *status = on->topology ? kKinds[on->topology->shape.index()] : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Topo_test)
