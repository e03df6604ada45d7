// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/params.hpp"

namespace hawser::mpi {

std::vector<mca::ParamRow> mpi_param_rows(MpiParams& params) {
  return {
      mca::param_bool("param_check", &params.param_check, "true", 9, "check the arguments of MPI functions"),
      mca::param_bool(
          "coll_shm", &params.coll_shm, "true", 5,
          "blocking collectives of ranks that all share a node go through memory that they share, "
          "if btl selects shm"),
      mca::param_int("coll_shm_after", &params.coll_shm_after, "4", {0, 1'000'000}, 8,
                     "a communicator makes that memory once it has done so many blocking collectives",
                     "collectives"),
      mca::param_size(
          "coll_shm_chunk", &params.coll_shm_chunk, "256k", {8192, 16 << 20}, 8,
          "long data goes through that memory in chunks of this size, four for each rank; smaller "
          "where many ranks share it"),
      mca::param_bool(
          "coll_shm_spread", &params.coll_shm_spread, "true", 8,
          "ranks that share cores and find theirs more crowded than another go to that one, within what they "
          "are bound to"),
  };
}

}  // namespace hawser::mpi
