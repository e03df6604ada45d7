// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/matching/reach.hpp"

#include <algorithm>

#include "framework/interfaces/routes.hpp"

namespace hawser::matching {

namespace {

std::vector<interfaces::Route> longest(const std::vector<interfaces::Route>& routes,
                                       const interfaces::IpAddress& target) {
  std::vector<interfaces::Route> best;
  for (const interfaces::Route& route : routes) {
    if (!target.in_network(route.network, route.prefix)) continue;
    if (!best.empty() && route.prefix < best[0].prefix) continue;
    if (!best.empty() && route.prefix > best[0].prefix) best.clear();
    best.push_back(route);
  }
  return best;
}

}  // namespace

Reach::Reach(const std::vector<interfaces::Route>& routes, const std::vector<Candidate>& targets)
    : all_told_(!routes.empty() && routes.size() < interfaces::kMaxRoutes) {
  best_.reserve(targets.size());
  for (const Candidate& target : targets) best_.push_back(longest(routes, target.address));
}

Way Reach::way(std::uint32_t nic, std::size_t target) const noexcept {
  const auto& found = best_[target];
  if (found.empty()) return all_told_ ? Way::kNoRoute : Way::kUnknown;
  Way best = Way::kElsewhere;
  for (const interfaces::Route& route : found) {
    if (route.interface != nic) continue;
    if (route.direct && route.prefix != 0) return Way::kOnLink;
    best = route.prefix != 0 ? Way::kRouted : Way::kDefaultRoute;
  }
  return best;
}

Way worse_of(Way one, Way other) noexcept {
  if (one == Way::kUnknown) return other;
  if (other == Way::kUnknown) return one;
  return std::max(one, other);
}

}  // namespace hawser::matching
