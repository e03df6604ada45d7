// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/params.hpp"

namespace hawser {

std::vector<mca::ParamRow> runtime_param_rows(RuntimeParams& params) {
  using namespace mca;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return {
      param_string(
          "btl", &params.btl, "", 1,
          "components that carry messages: a list such as self,tcp names what is used, ^tcp (the caret "
          "covers the whole list) what is not; empty leaves the choice open"),
      param_string("mca_component_path", &params.component_path, "", 2,
                   "folders with components, colons between; searched before ~/.hawser/components and the "
                   "folder of the installation"),
      param_choice(
          "mca_base_unknown", &params.unknown_params, "warn", "warn|ignore|error", 3,
          "what to do about a parameter name that nobody knows: one warning a job, nothing, or stop"),
      param_int("btl_base_verbose", &params.base_verbose, "0", {0, 100}, 4,
                "how much components tell on stderr: 0 errors, 10 warnings, 20 start and end of each object, "
                "40 connections, 60 each message"),
      param_bool("hawser_stats", &params.stats, "false", 3,
                 "print what each rail carried when the program ends, on stderr"),
      param_choice(
          "hawser_stats_format", &params.stats_format, "table", "table|lines", 4,
          "how that is printed: one table of all ranks, by rank 0, or each rank's counters as lines for "
          "programs"),
      param_time("hawser_modex_timeout", &params.modex_timeout_ns, "60s", {kSecond / 1000, 86'400 * kSecond},
                 5, "longest wait for the launcher or for another rank to publish its addresses", "s"),
      param_time_or_auto("hawser_spin_time", &params.spin_ns, "auto", {0, 10 * kSecond}, 5,
                         "how long a wait polls without giving up its core; auto follows from the cores that "
                         "the ranks of this machine share",
                         "us"),
      param_time_or_auto(
          "hawser_yield_time", &params.yield_ns, "auto", {0, 10 * kSecond}, 6,
          "how long a wait then polls while it gives its core to others, before it blocks; auto "
          "follows from the cores that the ranks of this machine share",
          "us"),
      param_bool(
          "hawser_progress_thread", &params.progress_thread, "false", 3,
          "a thread that receives, answers and accepts connections while the program computes; it sleeps "
          "while the program itself communicates or nothing comes, and makes each call a little slower"),
  };
}

}  // namespace hawser
