// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Words of the description in JSON, for its writer and its reader.
#pragma once

#include "framework/interfaces/interface.hpp"

namespace hawser::tools {

inline constexpr const char* kTopoKind = "hawser-topo";
/// Raised when a reader of the old one would misunderstand; keys may be added without.
inline constexpr int kTopoFormat = 1;

struct PropertyWord {
  interfaces::Property property;
  const char* word;
};
inline constexpr PropertyWord kPropertyWords[] = {
    {interfaces::kLoopback, "loopback"},
    {interfaces::kBridge, "bridge"},
    {interfaces::kBridgeWithoutPorts, "bridge_without_ports"},
    {interfaces::kNoCarrier, "no_carrier"},
    {interfaces::kTunnel, "tunnel"},
    {interfaces::kPointToPoint, "point_to_point"},
    {interfaces::kNoNeighbours, "no_neighbours"},
};

/// By interfaces::Locality.
inline constexpr const char* kLocalityWords[] = {"unknown", "near", "far"};

}  // namespace hawser::tools
