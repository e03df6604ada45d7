// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/params.hpp"

namespace hawser::mpi {

std::vector<mca::ParamRow> mpi_param_rows(MpiParams& params) {
  return {
      mca::param_bool("param_check", &params.param_check, "true", 9, "check the arguments of MPI functions"),
  };
}

}  // namespace hawser::mpi
