// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "bml/peer.hpp"

namespace hawser::bml {

// Pure: from all the ways to a peer to its three sets, as Open MPI's r2 ranks them.

/// What a plug-in that was built for that minor version of the interface can mean: one that wraps another may
/// hand on flags that it does not know.
btl::Attributes as_of(std::uint32_t minor, btl::Attributes said) noexcept;
/// Keeps the rails of the highest exclusivity among those that carry messages, and every rail that only adds
/// memory access.
std::vector<Rail> exclusive(std::vector<Rail> rails);
/// Best bandwidth first, then lowest latency, then the order given; weights by bandwidth add up to 1.
std::vector<Rail> by_bandwidth(std::vector<Rail> rails);
/// The rails of the lowest latency.
std::vector<Rail> lowest_latency(const std::vector<Rail>& rails);
/// The set made of `rails`, at most kMaxRails of them. A rail that is in `before` too keeps its id, and stays
/// dead if it was.
std::unique_ptr<RailSet> rank_rails(std::vector<Rail> rails, const RailSet* before = nullptr);

}  // namespace hawser::bml
