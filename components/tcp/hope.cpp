// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/hope.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/interfaces/filter.hpp"

namespace hawser::tcp {
namespace {

constexpr unsigned kFamilyV4 = 1;
constexpr unsigned kFamilyV6 = 2;

bool is_loopback(const matching::Candidate& candidate) noexcept {
  return (candidate.properties & interfaces::kLoopback) != 0;
}

// Families of the addresses that may lead to the other side, as bits.
unsigned families(const std::vector<matching::Candidate>& candidates, bool same_node) noexcept {
  unsigned found = 0;
  for (const matching::Candidate& candidate : candidates) {
    if (!same_node && is_loopback(candidate)) continue;
    found |= candidate.address.family == interfaces::Family::kV4 ? kFamilyV4 : kFamilyV6;
  }
  return found;
}

// All IPv6 addresses that lead anywhere.
bool only_link_local(const std::vector<matching::Candidate>& candidates) noexcept {
  bool any = false;
  for (const matching::Candidate& candidate : candidates) {
    if (candidate.address.family == interfaces::Family::kV4 || is_loopback(candidate)) continue;
    if (candidate.address.scope() != interfaces::Scope::kLink) return false;
    any = true;
  }
  return any;
}

bool is_loopback(const interfaces::Selector& selector, const Blob& ours) noexcept {
  return std::any_of(ours.addresses.begin(), ours.addresses.end(), [&](const Published& published) {
    if (!is_loopback(published.candidate)) return false;
    if (!selector.is_network) return published.name == selector.text;
    // The whole network is within that of the loopback address.
    return selector.prefix >= published.candidate.prefix &&
           selector.network.in_network(published.candidate.address, published.candidate.prefix);
  });
}

bool only_loopback_wanted(const Blob& ours, std::string_view if_include) {
  const auto selectors = interfaces::parse_selectors(if_include);
  return selectors && !selectors->empty() &&
         std::all_of(selectors->begin(), selectors->end(),
                     [&](const interfaces::Selector& selector) { return is_loopback(selector, ours); });
}

}  // namespace

std::string why_hopeless(const matching::Question& question, const Blob& ours, const Params& params) {
  const unsigned here = families(question.ours, question.same_node);
  const unsigned there = families(question.theirs, question.same_node);
  if (here != 0 && there != 0 && (here & there) == 0) {
    const bool link_local = only_link_local(here == kFamilyV6 ? question.ours : question.theirs);
    return fmt::format(
        "one side has only IPv4 addresses to meet at, the other only IPv6{}; give both the same "
        "btl_tcp_disable_family (here {}){}",
        link_local ? ", link-local" : "", params.disable_family,
        link_local
            ? ", or name the interface in btl_tcp_if_include: else link-local ones beside others do not count"
            : "");
  }
  if (!question.same_node && only_loopback_wanted(ours, params.if_include)) {
    return fmt::format("btl_tcp_if_include = \"{}\" names nothing but loopback", params.if_include);
  }
  return {};
}

}  // namespace hawser::tcp
