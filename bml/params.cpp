// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/params.hpp"

namespace hawser::bml {

std::vector<mca::ParamRow> bml_param_rows(BmlParams& params) {
  return {
      mca::param_int("pipeline_depth", &params.pipeline_depth, "4", {1, 64}, 6,
                     "slices of one large message that a rail may hold at a time"),
  };
}

}  // namespace hawser::bml
