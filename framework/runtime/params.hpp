// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "framework/mca/param_row.hpp"

namespace hawser {

/// Parameters of the framework itself, in effect once the registry has resolved them.
struct RuntimeParams {
  const char* btl = "";                 // the selection list
  const char* component_path = "";      // mca_component_path
  std::int64_t base_verbose = 0;        // btl_base_verbose
  bool stats = false;                   // hawser_stats: print counters at the end
  const char* stats_format = "table";   // hawser_stats_format: table, lines
  std::uint64_t modex_timeout_ns = 0;   // hawser_modex_timeout
  std::uint64_t spin_ns = 0;            // hawser_spin_time; mca::kAuto: chosen from cores per local rank
  std::uint64_t yield_ns = 0;           // hawser_yield_time; mca::kAuto likewise
  bool progress_thread = false;         // hawser_progress_thread
  const char* unknown_params = "warn";  // mca_base_unknown: warn, ignore, error
};

/// The rows of `params`, with full names: declare them with empty framework and component. `params` must
/// outlive the registry.
std::vector<mca::ParamRow> runtime_param_rows(RuntimeParams& params);

}  // namespace hawser
