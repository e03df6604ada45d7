// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/ranking.hpp"

#include <algorithm>
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

std::vector<Rail> lowest_latency(const std::vector<Rail>& rails) {
  std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max();
  for (const Rail& rail : rails) lowest = std::min(lowest, rail.limits.latency_ns);
  std::vector<Rail> best;
  for (const Rail& rail : rails) {
    if (rail.limits.latency_ns == lowest) best.push_back(rail);
  }
  return best;
}

void rank_rails(Peer& peer, std::vector<Rail> rails) {
  rails = by_bandwidth(exclusive(std::move(rails)));
  if (rails.size() > btl::kMaxRails) rails.resize(btl::kMaxRails);  // each has a bit in Peer::dead
  for (std::size_t i = 0; i < rails.size(); ++i) rails[i].id = static_cast<std::uint32_t>(i);
  std::vector<Rail> send;
  std::vector<Rail> rdma;
  for (const Rail& rail : rails) {
    if (carries_messages(rail)) send.push_back(rail);
    if (rail.rdma) rdma.push_back(rail);
  }
  peer.send = by_bandwidth(std::move(send));
  peer.rdma = by_bandwidth(std::move(rdma));
  peer.eager = lowest_latency(peer.send);
  peer.eager_limit = smallest(peer.send, &btl::Attributes::eager_limit);
  peer.rdma_min_size = smallest(peer.rdma, &btl::Attributes::rdma_min_size);
}

}  // namespace hawser::bml
