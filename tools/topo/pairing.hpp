// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/matching/matching.hpp"
#include "tools/topo/host.hpp"

namespace hawser::tools {

/// One used address with its device.
struct TopoEnd {
  const TopoNic* nic = nullptr;
  const TopoAddress* address = nullptr;
};

/// What matching makes of this machine and one peer. Points into both hosts.
struct Pairing {
  const TopoHost* ours = nullptr;
  const TopoHost* theirs = nullptr;
  bool same_node = false;
  bool told_so = false;  // --same-node, rather than by the two descriptions
  bool tie = false;      // other pairs would do as well: which are used depends on whose rank is lower
  std::vector<TopoEnd> our_ends;    // as Judged::ours and Pair::ours count
  std::vector<TopoEnd> their_ends;  // as Judged::theirs and Pair::theirs count
  matching::Question question;
  matching::Outcome outcome;

  const matching::Judged& judged(const matching::Pair& pair) const;
};

Pairing pair_up(const TopoHost& ours, const TopoHost& theirs, bool same_node);

/// Speed of a pair as matching counts it, Mbit/s; 0: nothing is known of either end.
std::uint32_t speed_of(const Pairing& pairing, std::size_t ours, std::size_t theirs);

/// Combinations that lost for one reason.
struct LoserGroup {
  matching::Verdict verdict = matching::Verdict::kFamily;
  std::string because;             // what speaks against one of the ends: "no carrier"; may be empty
  std::vector<std::string> names;  // of the interfaces it speaks against
  std::vector<const matching::Judged*> members;  // least doubt and cost first
};

/// All that lost, those nearest to being used first.
std::vector<LoserGroup> losers(const Pairing& pairing);

/// What decided against the members: "doubt 8", "cost 100 to 300"; "" if they could not be used at all.
std::string weight_range(const LoserGroup& group);

/// A word for programs: "paired", "own_address".
const char* verdict_word(matching::Verdict verdict) noexcept;

}  // namespace hawser::tools
