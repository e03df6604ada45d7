// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "framework/interfaces/interface.hpp"

namespace hawser::interfaces {

/// What sysfs knows of a device. Unknown is neutral.
struct DeviceFacts {
  std::uint32_t properties = 0;    // Property
  std::uint32_t speed_mbps = 0;    // Mbit/s
  std::uint32_t mtu = 0;           // bytes
  int numa_node = -1;              // where it sits
  std::set<std::string> hardware;  // names of the devices on a bus that it is, or stands on
};

/// Reads `sysfs`/class/net/`device`; a stacked device (bond, VLAN, bridge) takes its locality, and a speed it
/// does not know itself, from the devices below it: a locality if they agree, the highest speed. Nothing is
/// known if the device there has another index than `index` (0: any): then sysfs shows another network
/// namespace. Never fails.
DeviceFacts read_device(const std::string& sysfs, const std::string& device, std::uint32_t index = 0);

/// NUMA nodes with cores; 1 if that is unknown.
std::size_t count_numa_nodes(const std::string& sysfs);

/// The cores that this process may run on, by the kernel's numbers; empty if unknown.
std::vector<bool> own_cores();

/// Whether the cores that this process may run on include some of that NUMA node.
Locality locality_of(int numa_node, const std::string& sysfs);

}  // namespace hawser::interfaces
