// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "framework/matching/judge.hpp"
#include "framework/matching/matching.hpp"

namespace hawser::matching {
namespace {

using interfaces::Locality;

bool usable(Verdict verdict) noexcept {
  return verdict == Verdict::kPaired || verdict == Verdict::kDoubtful || verdict == Verdict::kBetterAddress ||
         verdict == Verdict::kOutmatched;
}

std::string speed_text(const Candidate& a, const Candidate& b) {
  if (a.speed_mbps == 0 && b.speed_mbps == 0) return "unknown speed";
  const std::uint32_t speed = speed_of(a, b);
  return speed % 1000 == 0 ? fmt::format("{} Gbit/s", speed / 1000) : fmt::format("{} Mbit/s", speed);
}

// Whose end something is true of: "", "ours", "theirs", "both ends".
std::string ends_text(bool ours, bool theirs) {
  if (ours && theirs) return "both ends";
  return ours ? "ours" : theirs ? "theirs" : "";
}

void add(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += ", ";
  text += part;
}

void add_ends(std::string& text, const std::string& what, bool ours, bool theirs) {
  if (ours || theirs) add(text, fmt::format("{} ({})", what, ends_text(ours, theirs)));
}

void add_properties(std::string& text, const Candidate& a, const Candidate& b) {
  using namespace interfaces;
  for (const Property property :
       {kBridge, kBridgeWithoutPorts, kNoCarrier, kTunnel, kPointToPoint, kNoNeighbours}) {
    const auto has = [property](const Candidate& c) {
      const bool told = property == kBridge && (c.properties & kBridgeWithoutPorts);  // in the next word
      return (c.properties & property) && !told;
    };
    add_ends(text, property == kBridge ? "bridge" : describe_properties(property), has(a), has(b));
  }
}

}  // namespace

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

const char* to_text(Way way) noexcept {
  switch (way) {
    case Way::kNotAsked:
      return "";
    case Way::kSameNode:
      return "same node";
    case Way::kSameNetwork:
      return "same network";
    case Way::kUnknown:
      return "different networks, routes unknown";
    case Way::kOnLink:
      return "routed without a gateway";
    case Way::kRouted:
      return "routed";
    case Way::kDefaultRoute:
      return "default route";
    case Way::kElsewhere:
      return "routed through another interface";
    case Way::kNoRoute:
      return "no route";
  }
  return "";
}

std::string describe(const Question& question, const Judged& judged) {
  if (!usable(judged.verdict)) return to_text(judged.verdict);
  const Candidate& a = question.ours[judged.ours];
  const Candidate& b = question.theirs[judged.theirs];
  std::string text = speed_text(a, b);
  add_ends(text, "far NUMA node", a.locality == Locality::kFar, b.locality == Locality::kFar);
  using interfaces::Scope;
  const bool link_local = a.address.scope() == Scope::kLink || b.address.scope() == Scope::kLink;
  add(text, link_local && judged.way != Way::kSameNode ? "link-local" : to_text(judged.way));
  if (judged.way != Way::kSameNode) add_properties(text, a, b);
  return text;
}

std::string explain(const Question& question, const Outcome& outcome, std::size_t limit) {
  if (question.ours.empty()) return "we have no usable address";
  if (question.theirs.empty()) return "the peer published no usable address";
  std::vector<const Judged*> unused;
  for (const Judged& judged : outcome.judged) {
    if (judged.verdict != Verdict::kPaired) unused.push_back(&judged);
  }
  std::stable_sort(unused.begin(), unused.end(), [](const Judged* a, const Judged* b) {
    return std::tuple(-static_cast<int>(a->verdict), a->doubt, a->cost) <
           std::tuple(-static_cast<int>(b->verdict), b->doubt, b->cost);
  });
  std::string text;
  for (std::size_t i = 0; i < unused.size() && i < limit; ++i) {
    const Judged& judged = *unused[i];
    text += fmt::format("{}{} - {}: {}", i ? "; " : "", question.ours[judged.ours].address.text(),
                        question.theirs[judged.theirs].address.text(), to_text(judged.verdict));
    if (usable(judged.verdict)) text += fmt::format(" ({})", describe(question, judged));
  }
  if (unused.size() > limit) text += fmt::format("; and {} more", unused.size() - limit);
  return text;
}

}  // namespace hawser::matching
