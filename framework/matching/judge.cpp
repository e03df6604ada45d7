// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/matching/judge.hpp"

#include <algorithm>
#include <set>

#include "framework/matching/reach.hpp"

namespace hawser::matching {
namespace {

using interfaces::Scope;

// What speaks against a pair. The sums matter: two addresses of different private networks may be routed, a
// bridge without ports leads nowhere.
constexpr std::uint32_t kDoubtIndirect = 1;      // tunnel, point-to-point
constexpr std::uint32_t kDoubtDefaultOnly = 1;   // nothing but default routes, not both public
constexpr std::uint32_t kDoubtOtherNetwork = 2;  // different networks, and nothing says that these are joined
constexpr std::uint32_t kDoubtLinkLocal = 2;     // nothing says that both are on the same link
constexpr std::uint32_t kDoubtNoCarrier = 3;     // the cable may come in while a call waits for it
constexpr std::uint32_t kDoubtNoRoute = 7;       // a side told its routes, and none leads to the other
constexpr std::uint32_t kDoubtNeedless = 1;      // same node, and not through loopback
constexpr std::uint32_t kDoubtDead = 8;          // bridge without ports, no neighbours

// Costs. A tenth of the bandwidth outweighs locality; another network outweighs twice the bandwidth.
constexpr std::uint32_t kCostPerUnit = 1'000'000;  // divided by the pair's speed in Mbit/s
constexpr std::uint32_t kAssumedSpeed = 10'000;
constexpr std::uint32_t kCostFar = 20;
constexpr std::uint32_t kCostOnLink = 100;
constexpr std::uint32_t kCostRouted = 200;
constexpr std::uint32_t kCostDefaultRoute = 300;
constexpr std::uint32_t kCostElsewhere = 400;
constexpr std::uint32_t kCostBridge = 50;
constexpr std::uint32_t kCostFamilyV6 = 1;  // of two equal ways over the same interfaces, IPv4

std::uint32_t doubt_of(const Candidate& c) noexcept {
  using namespace interfaces;
  if (c.properties & kNamed) return 0;  // the user knows better
  std::uint32_t doubt = 0;
  if (c.properties & (kTunnel | kPointToPoint)) doubt += kDoubtIndirect;
  if (c.properties & (kBridgeWithoutPorts | kNoNeighbours)) {
    doubt += kDoubtDead;
  } else if (c.properties & kNoCarrier) {
    doubt += kDoubtNoCarrier;
  }
  return doubt;
}

std::uint32_t cost_of(const Candidate& a, const Candidate& b) noexcept {
  using interfaces::Locality;
  std::uint32_t cost = kCostPerUnit / speed_of(a, b);
  for (const Candidate* end : {&a, &b}) {
    if (end->locality == Locality::kFar) cost += kCostFar;
    if (end->properties & interfaces::kBridge) cost += kCostBridge;
  }
  if (a.address.family == interfaces::Family::kV6) cost += kCostFamilyV6;
  return cost;
}

std::uint32_t cost_of(Way way) noexcept {
  switch (way) {
    case Way::kNotAsked:
    case Way::kSameNode:
    case Way::kSameNetwork:
      return 0;
    case Way::kOnLink:
      return kCostOnLink;
    case Way::kUnknown:
    case Way::kRouted:
      return kCostRouted;
    case Way::kDefaultRoute:
      return kCostDefaultRoute;
    case Way::kElsewhere:
    case Way::kNoRoute:
      return kCostElsewhere;
  }
  return 0;
}

std::uint32_t doubt_of(Way way, bool both_public) noexcept {
  switch (way) {
    case Way::kUnknown:
      return both_public ? 0 : kDoubtOtherNetwork;
    case Way::kDefaultRoute:
      return both_public ? 0 : kDoubtDefaultOnly;
    case Way::kElsewhere:
      return kDoubtOtherNetwork;
    case Way::kNoRoute:
      return kDoubtNoRoute;
    default:
      return 0;
  }
}

bool is_loopback(const Candidate& c) noexcept {
  return c.address.scope() == Scope::kLoopback || (c.properties & interfaces::kLoopback);
}

void judge_same_node(const Candidate& a, const Candidate& b, Judged& judged) noexcept {
  judged.verdict = Verdict::kOutmatched;
  judged.cost = cost_of(a, b);
  judged.way = Way::kSameNode;
  if (is_loopback(a) && is_loopback(b)) return;
  const bool wanted = (a.properties & b.properties & interfaces::kNamed) != 0;
  if (!wanted) judged.doubt += kDoubtNeedless;
  if (a.address != b.address && !same_network(a, b)) {
    judged.doubt += kDoubtOtherNetwork;
    judged.cost += kCostRouted;
  }
}

// `routed` is what the two tables say. On a common network they only raise the cost: a second interface may
// well send through the first, tables chosen by the source are not told, and the kernel tells of an address
// before it has the route to its network.
void judge_off_node(const Candidate& a, const Candidate& b, Way routed, Judged& judged) noexcept {
  judged.verdict = Verdict::kOutmatched;
  judged.cost = cost_of(a, b);
  judged.doubt = doubt_of(a) + doubt_of(b);
  const Scope ours = a.address.scope();
  const Scope theirs = b.address.scope();
  const bool link_local = ours == Scope::kLink || theirs == Scope::kLink;
  if (link_local) judged.doubt += kDoubtLinkLocal;
  judged.way = link_local ? Way::kUnknown : routed;  // tables do not tell links apart
  if (same_network(a, b)) {
    if (judged.way >= Way::kElsewhere) judged.cost += kCostElsewhere;
    judged.way = Way::kSameNetwork;
  }
  judged.doubt += doubt_of(judged.way, ours == Scope::kGlobal && theirs == Scope::kGlobal);
  judged.cost += cost_of(judged.way);
}

class Judge {
 public:
  explicit Judge(const Question& question)
      : question_(question),
        there_(question.our_routes, question.theirs),
        back_(question.their_routes, question.ours) {
    for (const Candidate& c : question.ours) our_addresses_.insert(c.address);
    for (const Candidate& c : question.theirs) their_addresses_.insert(c.address);
  }

  Judged judge(std::size_t i, std::size_t j) const {
    const Candidate& a = question_.ours[i];
    const Candidate& b = question_.theirs[j];
    Judged judged;
    judged.ours = i;
    judged.theirs = j;
    if (a.address.family != b.address.family) {
      judged.verdict = Verdict::kFamily;
    } else if (is_loopback(a) != is_loopback(b)) {
      judged.verdict = question_.same_node ? Verdict::kLoopbackAndOther : Verdict::kLoopbackOffNode;
    } else if (question_.same_node) {
      judge_same_node(a, b, judged);
    } else if (is_loopback(a)) {
      judged.verdict = Verdict::kLoopbackOffNode;
    } else if (their_addresses_.count(a.address) || our_addresses_.count(b.address)) {
      judged.verdict = Verdict::kOwnAddress;
    } else {
      judge_off_node(a, b, worse_of(there_.way(a.nic, j), back_.way(b.nic, i)), judged);
    }
    return judged;
  }

 private:
  const Question& question_;
  Reach there_;
  Reach back_;
  std::set<interfaces::IpAddress> our_addresses_;
  std::set<interfaces::IpAddress> their_addresses_;
};

}  // namespace

bool same_network(const Candidate& a, const Candidate& b) noexcept {
  return a.address.in_network(b.address, a.prefix) && b.address.in_network(a.address, b.prefix);
}

std::uint32_t speed_of(const Candidate& a, const Candidate& b) noexcept {
  return std::min(a.speed_mbps ? a.speed_mbps : kAssumedSpeed, b.speed_mbps ? b.speed_mbps : kAssumedSpeed);
}

std::vector<Judged> judge_all(const Question& question) {
  const Judge judge(question);
  std::vector<Judged> all;
  all.reserve(question.ours.size() * question.theirs.size());
  for (std::size_t i = 0; i < question.ours.size(); ++i) {
    for (std::size_t j = 0; j < question.theirs.size(); ++j) all.push_back(judge.judge(i, j));
  }
  return all;
}

}  // namespace hawser::matching
