// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "framework/interfaces/ip_address.hpp"

namespace hawser::interfaces {

/// What is known of an interface; decides how it ranks, never its name.
enum Property : std::uint32_t {
  kLoopback = 1u << 0,
  kBridge = 1u << 1,
  kBridgeWithoutPorts = 1u << 2,
  kNoCarrier = 1u << 3,
  kTunnel = 1u << 4,
  kPointToPoint = 1u << 5,
  kNoNeighbours = 1u << 6,  // the device resolves no neighbours (IFF_NOARP): dummies, some tunnels
  kNamed = 1u << 7,         // the user included it by name or network
};

/// Where an interface's device sits, seen from the cores this process may run on.
enum class Locality : std::uint8_t { kUnknown = 0, kNear = 1, kFar = 2 };

/// One address of one interface. Plain data.
struct Interface {
  std::string name;                        // of the device: "eth0"
  std::string label;                       // of the address: "eth0:1"; else equal to `name`
  std::uint32_t index = 0;                 // the kernel's
  IpAddress address;                       // this one
  unsigned prefix = 0;                     // bits
  std::uint32_t speed_mbps = 0;            // 0: unknown
  std::uint32_t mtu = 0;                   // bytes; 0: unknown
  std::uint32_t properties = 0;            // Property
  int numa_node = -1;                      // where its device sits; -1: unknown
  Locality locality = Locality::kUnknown;  // of its device

  /// Whether that is so.
  bool has(Property property) const noexcept { return (properties & property) != 0; }
};

/// A network that the kernel sends to through one interface: an entry of a routing table. Plain data.
struct Route {
  IpAddress network;            // bits after `prefix` are zero
  unsigned prefix = 0;          // bits; 0: default route
  std::uint32_t interface = 0;  // the kernel's index
  bool direct = false;          // on the link, no gateway

  /// All members.
  bool operator==(const Route&) const = default;
};

/// "bridge without ports, no carrier"; "" if nothing speaks against the interface.
std::string describe_properties(std::uint32_t properties);

}  // namespace hawser::interfaces
