// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/top/watch.hpp"

namespace hawser::tools {

/// All ranks at about one moment, by process.
using Looks = std::map<pid_t, RankLook>;

/// What was done since the look before, for each second; nothing, without one.
struct Rates {
  bool known = false;
  double messages = 0;
  double bytes = 0;  // sent, and read from the peer's memory
};
Rates rates(const RailLook& now, const RankLook& rank, const Looks& before);
/// The share of one core that it used, 0 to 1 and more; below 0: not known.
double cpu_share(const RankLook& rank, const Looks& before);

/// One line for each job.
std::string jobs_text(const Looks& looks, bool colour);
/// A table of the ranks, and one of their rails. `before`: the look before this one, or nothing.
std::string ranks_text(const Looks& looks, const Looks& before, bool colour);
std::string looks_json(const Looks& looks, const Looks& before);

}  // namespace hawser::tools
