// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/matching/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "framework/matching/assignment.hpp"

namespace hawser::matching {
namespace {

using interfaces::Scope;

// What speaks against a pair. The sums matter: two addresses of different private networks may be routed, a
// bridge without ports leads nowhere.
constexpr std::uint32_t kDoubtIndirect = 1;      // tunnel, point-to-point
constexpr std::uint32_t kDoubtOtherNetwork = 2;  // different networks, not both public
constexpr std::uint32_t kDoubtLinkLocal = 2;     // nothing says that both are on the same link
constexpr std::uint32_t kDoubtNeedless = 1;      // same node, and not through loopback
constexpr std::uint32_t kDoubtDead = 8;          // no carrier, bridge without ports, no neighbours

// Costs. A tenth of the bandwidth outweighs locality; a different network outweighs twice the bandwidth.
constexpr std::uint32_t kCostPerUnit = 1'000'000;  // divided by the pair's speed in Mbit/s
constexpr std::uint32_t kAssumedSpeed = 10'000;
constexpr std::uint32_t kCostFar = 20;
constexpr std::uint32_t kCostRouted = 200;
constexpr std::uint32_t kCostBridge = 50;
constexpr std::uint32_t kCostFamilyV6 = 1;  // of two equal ways over the same interfaces, IPv4

std::uint32_t doubt_of(const Candidate& c) noexcept {
  using namespace interfaces;
  if (c.properties & kNamed) return 0;  // the user knows better
  std::uint32_t doubt = 0;
  if (c.properties & (kTunnel | kPointToPoint)) doubt += kDoubtIndirect;
  if (c.properties & (kBridgeWithoutPorts | kNoCarrier | kNoNeighbours)) doubt += kDoubtDead;
  return doubt;
}

std::uint32_t cost_of(const Candidate& a, const Candidate& b) noexcept {
  using interfaces::Locality;
  const std::uint32_t speed =
      std::min(a.speed_mbps ? a.speed_mbps : kAssumedSpeed, b.speed_mbps ? b.speed_mbps : kAssumedSpeed);
  std::uint32_t cost = kCostPerUnit / speed;
  for (const Candidate* end : {&a, &b}) {
    if (end->locality == Locality::kFar) cost += kCostFar;
    if (end->properties & interfaces::kBridge) cost += kCostBridge;
  }
  if (a.address.family == interfaces::Family::kV6) cost += kCostFamilyV6;
  return cost;
}

bool same_network(const Candidate& a, const Candidate& b) noexcept {
  return a.address.in_network(b.address, a.prefix) && b.address.in_network(a.address, b.prefix);
}

bool is_loopback(const Candidate& c) noexcept {
  return c.address.scope() == Scope::kLoopback || (c.properties & interfaces::kLoopback);
}

void judge_same_node(const Candidate& a, const Candidate& b, Judged& judged) noexcept {
  judged.verdict = Verdict::kOutmatched;
  judged.cost = cost_of(a, b);
  if (is_loopback(a) && is_loopback(b)) return;
  const bool wanted = (a.properties & b.properties & interfaces::kNamed) != 0;
  if (!wanted) judged.doubt += kDoubtNeedless;
  if (a.address != b.address && !same_network(a, b)) {
    judged.doubt += kDoubtOtherNetwork;
    judged.cost += kCostRouted;
  }
}

void judge_off_node(const Candidate& a, const Candidate& b, Judged& judged) noexcept {
  judged.verdict = Verdict::kOutmatched;
  judged.cost = cost_of(a, b);
  judged.doubt = doubt_of(a) + doubt_of(b);
  const Scope ours = a.address.scope();
  const Scope theirs = b.address.scope();
  if (ours == Scope::kLink || theirs == Scope::kLink) judged.doubt += kDoubtLinkLocal;
  if (same_network(a, b)) return;
  judged.cost += kCostRouted;
  if (ours != Scope::kGlobal || theirs != Scope::kGlobal) judged.doubt += kDoubtOtherNetwork;
}

Judged judge(const Candidate& a, const Candidate& b, bool same_node, bool shared) noexcept {
  Judged judged;
  if (a.address.family != b.address.family) {
    judged.verdict = Verdict::kFamily;
  } else if (is_loopback(a) != is_loopback(b)) {
    judged.verdict = same_node ? Verdict::kLoopbackAndOther : Verdict::kLoopbackOffNode;
  } else if (same_node) {
    judge_same_node(a, b, judged);
  } else if (is_loopback(a)) {
    judged.verdict = Verdict::kLoopbackOffNode;
  } else if (shared) {
    judged.verdict = Verdict::kOwnAddress;
  } else {
    judge_off_node(a, b, judged);
  }
  return judged;
}

// Solves with the lower rank's list as the left one. Indices in the result are into these sorted lists.
class Task {
 public:
  Task(const std::vector<Candidate>& left, const std::vector<Candidate>& right, bool same_node)
      : left_(left), right_(right), same_node_(same_node) {}

  Outcome solve() {
    judge_all();
    keep_least_doubt();
    join_interfaces();
    return std::move(outcome_);
  }

 private:
  void judge_all() {
    for (std::size_t i = 0; i < left_.size(); ++i) {
      for (std::size_t j = 0; j < right_.size(); ++j) {
        const bool shared = has(right_, left_[i]) || has(left_, right_[j]);
        Judged judged = judge(left_[i], right_[j], same_node_, shared);
        judged.ours = i;
        judged.theirs = j;
        outcome_.judged.push_back(judged);
      }
    }
  }

  // A doubtful way is used only if there is no better one: it may be a black hole.
  void keep_least_doubt() {
    std::optional<std::uint32_t> least;
    for (const Judged& judged : outcome_.judged) {
      if (judged.verdict == Verdict::kOutmatched && (!least || judged.doubt < *least)) least = judged.doubt;
    }
    for (Judged& judged : outcome_.judged) {
      if (judged.verdict == Verdict::kOutmatched && judged.doubt > *least)
        judged.verdict = Verdict::kDoubtful;
    }
  }

  void join_interfaces() {
    const auto rows = number_interfaces(left_);
    const auto columns = number_interfaces(right_);
    CostTable table(rows.count, columns.count);
    std::vector<Judged*> best(rows.count * columns.count, nullptr);
    for (Judged& judged : outcome_.judged) {
      if (judged.verdict != Verdict::kOutmatched) continue;
      Judged*& slot = best[rows.of[judged.ours] * columns.count + columns.of[judged.theirs]];
      if (slot && slot->cost <= judged.cost) {
        judged.verdict = Verdict::kBetterAddress;
        continue;
      }
      if (slot) slot->verdict = Verdict::kBetterAddress;
      slot = &judged;
      table.at(rows.of[judged.ours], columns.of[judged.theirs]) = judged.cost;
    }
    const auto assigned = assign(table);
    for (std::size_t row = 0; row < assigned.size(); ++row) {
      if (!assigned[row]) continue;
      Judged& judged = *best[row * columns.count + *assigned[row]];
      judged.verdict = Verdict::kPaired;
      outcome_.pairs.push_back({judged.ours, judged.theirs, judged.cost});
    }
    std::sort(outcome_.pairs.begin(), outcome_.pairs.end(), [](const Pair& a, const Pair& b) {
      return std::tie(a.cost, a.ours, a.theirs) < std::tie(b.cost, b.ours, b.theirs);
    });
  }

  struct Numbered {
    std::vector<std::size_t> of;  // interface of each candidate, numbered in the order of first address
    std::size_t count = 0;
  };
  static Numbered number_interfaces(const std::vector<Candidate>& list) {
    Numbered result;
    std::map<std::uint32_t, std::size_t> seen;
    for (const Candidate& candidate : list) {
      result.of.push_back(seen.try_emplace(candidate.nic, seen.size()).first->second);
    }
    result.count = seen.size();
    return result;
  }
  static bool has(const std::vector<Candidate>& list, const Candidate& candidate) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Candidate& c) { return c.address == candidate.address; });
  }

  const std::vector<Candidate>& left_;
  const std::vector<Candidate>& right_;
  const bool same_node_;
  Outcome outcome_;
};

std::vector<std::size_t> order_by_address(const std::vector<Candidate>& list) {
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(list[a].address, list[a].nic) < std::tie(list[b].address, list[b].nic);
  });
  return order;
}

std::vector<Candidate> reorder(const std::vector<Candidate>& list, const std::vector<std::size_t>& order) {
  std::vector<Candidate> result;
  for (const std::size_t at : order) result.push_back(list[at]);
  return result;
}

}  // namespace

Candidate candidate_of(const interfaces::Interface& interface) {
  return {interface.address,    interface.prefix,     interface.index,
          interface.speed_mbps, interface.properties, interface.locality};
}

const char* to_text(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kPaired:
      return "used";
    case Verdict::kFamily:
      return "IPv4 against IPv6";
    case Verdict::kLoopbackOffNode:
      return "loopback reaches only processes of the same node and network namespace";
    case Verdict::kLoopbackAndOther:
      return "loopback against another interface";
    case Verdict::kOwnAddress:
      return "both sides have that address: we would reach ourselves";
    case Verdict::kDoubtful:
      return "another pair has less against it";
    case Verdict::kBetterAddress:
      return "the same two interfaces are joined by a better pair of addresses";
    case Verdict::kOutmatched:
      return "one of the two interfaces is in another pair";
  }
  return "unknown";
}

Outcome match(const Question& question) {
  const auto our_order = order_by_address(question.ours);
  const auto their_order = order_by_address(question.theirs);
  const auto ours = reorder(question.ours, our_order);
  const auto theirs = reorder(question.theirs, their_order);
  const bool swap = !question.we_are_lower;
  Outcome outcome =
      swap ? Task(theirs, ours, question.same_node).solve() : Task(ours, theirs, question.same_node).solve();
  const auto restore = [&](auto& item) {
    if (swap) std::swap(item.ours, item.theirs);
    item.ours = our_order[item.ours];
    item.theirs = their_order[item.theirs];
  };
  for (Pair& pair : outcome.pairs) restore(pair);
  for (Judged& judged : outcome.judged) restore(judged);
  return outcome;
}

std::string explain(const Question& question, const Outcome& outcome, std::size_t limit) {
  if (question.ours.empty()) return "we have no usable address";
  if (question.theirs.empty()) return "the peer published no usable address";
  std::vector<const Judged*> unused;
  for (const Judged& judged : outcome.judged) {
    if (judged.verdict != Verdict::kPaired) unused.push_back(&judged);
  }
  std::stable_sort(unused.begin(), unused.end(),
                   [](const Judged* a, const Judged* b) { return a->verdict > b->verdict; });
  std::string text;
  for (std::size_t i = 0; i < unused.size() && i < limit; ++i) {
    text += fmt::format("{}{} - {}: {}", i ? "; " : "", question.ours[unused[i]->ours].address.text(),
                        question.theirs[unused[i]->theirs].address.text(), to_text(unused[i]->verdict));
  }
  if (unused.size() > limit) text += fmt::format("; and {} more", unused.size() - limit);
  return text;
}

}  // namespace hawser::matching
