// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/topo/pairing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "framework/matching/judge.hpp"

namespace hawser::tools {

namespace {

using matching::Judged;
using matching::Verdict;

std::vector<TopoEnd> ends_of(const TopoHost& host) {
  std::vector<TopoEnd> ends;
  for (const auto& nic : host.nics) {
    for (const auto& address : nic.addresses) {
      if (address.used()) ends.push_back({&nic, &address});
    }
  }
  return ends;
}

std::vector<matching::Candidate> candidates_of(const std::vector<TopoEnd>& ends) {
  std::vector<matching::Candidate> result;
  for (const TopoEnd& end : ends) result.push_back(matching::candidate_of(end.address->interface));
  return result;
}

// In a job the ranks decide who is the lower one; here something that both sides see alike.
bool we_are_lower(const TopoHost& ours, const TopoHost& theirs) {
  const int order = std::memcmp(ours.proc.boot_id, theirs.proc.boot_id, sizeof ours.proc.boot_id);
  if (order != 0) return order < 0;
  const auto& a = ours.proc;
  const auto& b = theirs.proc;
  return std::tie(a.net_namespace, a.pid_namespace, ours.name) <
         std::tie(b.net_namespace, b.pid_namespace, theirs.name);
}

// How much a device's properties weigh, roughly; for telling which of two ends is to blame.
int weight_of(const TopoEnd& end) {
  if (end.address->interface.has(interfaces::kNamed)) return 0;
  const std::uint32_t against = penalties(*end.nic);
  if (against & (interfaces::kBridgeWithoutPorts | interfaces::kNoCarrier | interfaces::kNoNeighbours))
    return 2;
  return against ? 1 : 0;
}

std::string words_of(const TopoEnd& end) {
  return interfaces::describe_properties(end.nic->properties);
}

bool is_link_local(const TopoEnd& end) {
  return end.address->interface.address.scope() == interfaces::Scope::kLink;
}

struct Blame {
  std::string because;
  std::vector<std::string> names;
};

Blame blame_of(const Judged& judged, const TopoEnd& a, const TopoEnd& b, bool same_node) {
  if (judged.verdict != Verdict::kDoubtful) return {};  // the verdict says it all
  if (same_node) return {"not loopback", {}};
  const int left = weight_of(a);
  const int right = weight_of(b);
  if (left == 0 && right == 0) {
    return {is_link_local(a) || is_link_local(b) ? "link-local" : to_text(judged.way), {}};
  }
  if (left == right && words_of(a) == words_of(b)) return {words_of(a), {a.nic->name, b.nic->name}};
  const bool ours = left != right ? left > right : words_of(a) > words_of(b);
  return ours ? Blame{words_of(a), {a.nic->name}} : Blame{words_of(b), {b.nic->name}};
}

// Nearest to being used first.
int nearness(Verdict verdict) {
  return -static_cast<int>(verdict);
}

bool before(const Judged* a, const Judged* b) {
  return std::tie(a->doubt, a->cost, a->ours, a->theirs) < std::tie(b->doubt, b->cost, b->ours, b->theirs);
}

}  // namespace

const Judged& Pairing::judged(const matching::Pair& pair) const {
  return *std::ranges::find_if(outcome.judged, [&](const Judged& judged) {
    return judged.ours == pair.ours && judged.theirs == pair.theirs;
  });
}

Pairing pair_up(const TopoHost& ours, const TopoHost& theirs, bool same_node) {
  Pairing result;
  result.ours = &ours;
  result.theirs = &theirs;
  result.told_so = same_node;
  result.same_node = same_node || btl::same_node(ours.proc, theirs.proc);
  result.our_ends = ends_of(ours);
  result.their_ends = ends_of(theirs);
  matching::Question& question = result.question;
  question.ours = candidates_of(result.our_ends);
  question.theirs = candidates_of(result.their_ends);
  question.same_node = result.same_node;
  question.we_are_lower = we_are_lower(ours, theirs);
  question.our_routes = ours.routes;
  question.their_routes = theirs.routes;
  result.outcome = matching::match(question);
  matching::Question turned = question;
  turned.we_are_lower = !question.we_are_lower;
  result.tie = matching::match(turned).pairs != result.outcome.pairs;
  return result;
}

std::uint32_t speed_of(const Pairing& pairing, std::size_t ours, std::size_t theirs) {
  const matching::Candidate& a = pairing.question.ours[ours];
  const matching::Candidate& b = pairing.question.theirs[theirs];
  return a.speed_mbps || b.speed_mbps ? matching::speed_of(a, b) : 0;
}

std::vector<LoserGroup> losers(const Pairing& pairing) {
  std::map<std::tuple<int, std::string>, LoserGroup> groups;
  for (const Judged& judged : pairing.outcome.judged) {
    if (judged.verdict == Verdict::kPaired) continue;
    Blame blame =
        blame_of(judged, pairing.our_ends[judged.ours], pairing.their_ends[judged.theirs], pairing.same_node);
    LoserGroup& group = groups[{nearness(judged.verdict), blame.because}];
    group.verdict = judged.verdict;
    group.because = blame.because;
    group.members.push_back(&judged);
    for (auto& name : blame.names) {
      if (std::ranges::find(group.names, name) == group.names.end()) group.names.push_back(std::move(name));
    }
  }
  std::vector<LoserGroup> result;
  for (auto& [key, group] : groups) {
    std::ranges::sort(group.members, before);
    result.push_back(std::move(group));
  }
  std::ranges::stable_sort(result, [](const LoserGroup& a, const LoserGroup& b) {
    return std::pair(nearness(a.verdict), a.members[0]->doubt) <
           std::pair(nearness(b.verdict), b.members[0]->doubt);
  });
  return result;
}

std::string weight_range(const LoserGroup& group) {
  const bool by_doubt = group.verdict == Verdict::kDoubtful;
  auto weight = [by_doubt](const Judged* judged) { return by_doubt ? judged->doubt : judged->cost; };
  if (!by_doubt && group.verdict != Verdict::kBetterAddress && group.verdict != Verdict::kOutmatched)
    return "";
  const auto [least, most] = std::ranges::minmax(group.members, {}, weight);
  const std::string range = weight(least) == weight(most)
                                ? fmt::format("{}", weight(least))
                                : fmt::format("{} to {}", weight(least), weight(most));
  return (by_doubt ? "doubt " : "cost ") + range;
}

const char* verdict_word(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kPaired:
      return "paired";
    case Verdict::kFamily:
      return "family";
    case Verdict::kLoopbackOffNode:
      return "loopback_off_node";
    case Verdict::kLoopbackAndOther:
      return "loopback_and_other";
    case Verdict::kOwnAddress:
      return "own_address";
    case Verdict::kDoubtful:
      return "doubtful";
    case Verdict::kBetterAddress:
      return "better_address";
    case Verdict::kOutmatched:
      return "outmatched";
  }
  return "unknown";
}

}  // namespace hawser::tools
