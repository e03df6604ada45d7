// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/ranking.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace hawser::bml {

namespace {

bool carries_messages(const Rail& rail) noexcept {
  return (rail.limits.flags & btl::kFlagSend) != 0;
}

std::uint64_t smallest(const std::vector<Rail>& rails, std::uint64_t btl::Attributes::*limit) noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Rail& rail : rails) least = std::min(least, rail.limits.*limit);
  return rails.empty() ? 0 : least;
}

/// Gives every rail its id, and gives the mask of those that are dead already.
std::uint64_t number_rails(std::vector<Rail>& rails, const RailSet* before) {
  std::uint64_t taken = 0;
  std::uint64_t dead = 0;
  std::vector<Rail*> fresh;
  for (Rail& rail : rails) {
    const Rail* old = before ? before->find(rail.endpoint) : nullptr;
    if (!old) {
      fresh.push_back(&rail);
      continue;
    }
    rail.id = old->id;
    taken |= 1ull << rail.id;
    if (!before->alive(*old)) dead |= 1ull << rail.id;
  }
  for (Rail* rail : fresh) {
    rail->id = static_cast<std::uint32_t>(std::countr_one(taken));
    taken |= 1ull << rail->id;
  }
  return dead;
}

}  // namespace

std::vector<Rail> exclusive(std::vector<Rail> rails) {
  std::uint32_t highest = 0;
  for (const Rail& rail : rails) {
    if (carries_messages(rail)) highest = std::max(highest, rail.limits.exclusivity);
  }
  std::erase_if(
      rails, [&](const Rail& rail) { return carries_messages(rail) && rail.limits.exclusivity < highest; });
  return rails;
}

std::vector<Rail> by_bandwidth(std::vector<Rail> rails) {
  std::stable_sort(rails.begin(), rails.end(), [](const Rail& a, const Rail& b) {
    if (a.limits.bandwidth_mbps != b.limits.bandwidth_mbps)
      return a.limits.bandwidth_mbps > b.limits.bandwidth_mbps;
    return a.limits.latency_ns < b.limits.latency_ns;
  });
  double total = 0;
  for (const Rail& rail : rails) total += rail.limits.bandwidth_mbps;
  for (Rail& rail : rails) {
    rail.weight = total > 0 ? rail.limits.bandwidth_mbps / total : 1.0 / static_cast<double>(rails.size());
  }
  return rails;
}

btl::Attributes as_of(std::uint32_t minor, btl::Attributes said) noexcept {
  if (minor < 2) said.flags &= ~static_cast<std::uint32_t>(btl::kFlagTakes);
  return said;
}

std::vector<Rail> lowest_latency(const std::vector<Rail>& rails) {
  std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max();
  for (const Rail& rail : rails) lowest = std::min(lowest, rail.limits.latency_ns);
  std::vector<Rail> best;
  for (const Rail& rail : rails) {
    if (rail.limits.latency_ns == lowest) best.push_back(rail);
  }
  return best;
}

std::unique_ptr<RailSet> rank_rails(std::vector<Rail> rails, const RailSet* before) {
  rails = by_bandwidth(exclusive(std::move(rails)));
  if (rails.size() > btl::kMaxRails) rails.resize(btl::kMaxRails);  // each has a bit in RailSet::dead
  auto set = std::make_unique<RailSet>();
  set->dead.store(number_rails(rails, before), std::memory_order_relaxed);
  for (const Rail& rail : rails) {
    if (carries_messages(rail)) set->send.push_back(rail);
    if (rail.rdma) set->rdma.push_back(rail);
  }
  set->send = by_bandwidth(std::move(set->send));
  set->rdma = by_bandwidth(std::move(set->rdma));
  set->eager = lowest_latency(set->send);
  if (set->eager.size() == 1) set->sole = set->eager.data();
  set->max_send_size = smallest(set->send, &btl::Attributes::max_send_size);
  set->eager_limit = std::min(smallest(set->send, &btl::Attributes::eager_limit), set->max_send_size);
  set->rdma_min_size = smallest(set->rdma, &btl::Attributes::rdma_min_size);
  if (set->sole && set->alive(*set->sole)) {
    set->direct = set->sole->module;
    set->direct_endpoint = set->sole->endpoint;
    set->live = set->sole->live;
    const bool may_take = (set->sole->limits.flags & btl::kFlagTakes) != 0;
    if (may_take) set->taker = set->direct->taker(*set->direct_endpoint);
  }
  return set;
}

}  // namespace hawser::bml
