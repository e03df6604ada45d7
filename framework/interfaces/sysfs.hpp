// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "framework/interfaces/interface.hpp"

namespace hawser::interfaces {

/// What sysfs knows of a device. Unknown is neutral.
struct DeviceFacts {
  std::uint32_t properties = 0;
  std::uint32_t speed_mbps = 0;
  std::uint32_t mtu = 0;
  int numa_node = -1;
};

/// Reads `sysfs`/class/net/`device`; a stacked device (bond, VLAN, bridge) takes its locality, and a speed it
/// does not know itself, from the devices below it. Never fails.
DeviceFacts read_device(const std::string& sysfs, const std::string& device);

/// Whether the cores that this process may run on include some of that NUMA node.
Locality locality_of(int numa_node, const std::string& sysfs);

}  // namespace hawser::interfaces
