// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "framework/mca/param_row.hpp"

namespace hawser::bml {

struct BmlParams {
  std::int64_t pipeline_depth = 0;
  const char* guard = "auto";
  std::int64_t guard_window = 0;
};

/// Rows of framework "bml" that write to `params`.
std::vector<mca::ParamRow> bml_param_rows(BmlParams& params);

}  // namespace hawser::bml
