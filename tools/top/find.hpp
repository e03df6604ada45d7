// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "tools/top/watch.hpp"

namespace hawser::tools {

/// "3f2a91c0": the first half of its number, which is what people type.
std::string job_name(std::uint64_t job);

/// Every rank of this machine that we may look at, by process.
std::map<pid_t, Watch> find_ranks();

/// Which ranks somebody asked for: one, by its process; all of a job, by its name or the beginning of it, or
/// by the process of its launcher.
class Target {
 public:
  /// The error says what is there instead.
  static Result<Target> parse(const std::string& text);

  /// Those of them that run now. One that was open stays it. kNotFound: none.
  Result<void> update(std::map<pid_t, Watch>& watches) const;

 private:
  bool wants(const Watch& watch) const;

  enum class Kind { kRank, kJob, kBelow } kind_ = Kind::kRank;
  pid_t pid_ = -1;
  std::uint64_t job_ = 0;
};

}  // namespace hawser::tools
