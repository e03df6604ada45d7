// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/common/gather.hpp"

namespace hawser::tools {

/// What both the command and its ranks are told.
struct PerfPlan {
  std::string level = "mpi";
  bool latency = true;
  bool rate = true;
  double seconds = 0.1;  // for each figure
  std::vector<std::uint64_t> sizes;

  /// The words after `hawser perf` that start a rank with this plan.
  std::vector<std::string> words() const;
};

struct PerfOptions {
  PerfPlan plan;
  std::vector<std::string> transports;
  Given given;
  std::string wrap;
  std::string json, svg, compare;  // files; "-": stdout; "": none
};

inline constexpr const char* kPerfRankWord = "--as-rank";

/// The exit status if there is nothing to do: help, or what is wrong was said.
int parse_perf(int argc, char** argv, PerfOptions& out, bool& go_on);

/// The rank's side of PerfPlan::words. False: they were not written by us.
bool parse_perf_rank(int argc, char** argv, PerfPlan& out);

/// Measures as one of the two ranks; rank 0 writes a line of JSON for each size. Gives the exit status.
int run_perf_rank(const PerfPlan& plan);

}  // namespace hawser::tools
