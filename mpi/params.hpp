// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "framework/mca/param_row.hpp"

namespace hawser::mpi {

/// Parameters of the MPI layer.
struct MpiParams {
  bool param_check = true;
  bool coll_shm = true;
  std::int64_t coll_shm_after = 0;
  std::uint64_t coll_shm_chunk = 0;
  bool coll_shm_spread = true;
};

/// Rows of framework "mpi" that write to `params`.
std::vector<mca::ParamRow> mpi_param_rows(MpiParams& params);

}  // namespace hawser::mpi
