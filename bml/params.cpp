// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/params.hpp"

#include "bml/guard_header.hpp"

namespace hawser::bml {

std::vector<mca::ParamRow> bml_param_rows(BmlParams& params) {
  return {
      mca::param_int("pipeline_depth", &params.pipeline_depth, "4", {1, 64}, 6,
                     "slices of one large message that a rail may hold at a time"),
      mca::param_choice(
          "guard", &params.guard, "auto", "auto|always|never", 5,
          "keep what was sent to a peer until it is acknowledged, so that it can go over another "
          "rail when one breaks: auto, for peers that have or had several rails; never: such a "
          "peer fails with the first rail that breaks"),
      mca::param_int("guard_window", &params.guard_window, "512", {8, kMaxWindow}, 6,
                     "messages to one guarded peer that may be sent and not acknowledged", "messages"),
  };
}

}  // namespace hawser::bml
