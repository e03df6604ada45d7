// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/interfaces/interface.hpp"
#include "framework/matching/matching.hpp"

namespace hawser::matching {

/// Which ways a process sends to each of a list of addresses: its routes, looked up as the kernel does, the
/// longest prefix first. Built once for a list, as looking up for each pair would cost n x m x routes.
class Reach {
 public:
  /// By `routes`, for `targets`; both may go after.
  Reach(const std::vector<interfaces::Route>& routes, const std::vector<Candidate>& targets);

  /// How the process sends to a target if it uses that interface: kOnLink, kRouted, kDefaultRoute,
  /// kElsewhere, kNoRoute or kUnknown. A table that may have been cut does not tell what is not there.
  Way way(std::uint32_t nic, std::size_t target) const noexcept;

 private:
  bool all_told_;                                     // what is not there does not exist
  std::vector<std::vector<interfaces::Route>> best_;  // of each target: those of the longest prefix
};

/// The worse of two directions; what is unknown does not count against what is known.
Way worse_of(Way one, Way other) noexcept;

}  // namespace hawser::matching
