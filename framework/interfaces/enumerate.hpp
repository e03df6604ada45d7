// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/interfaces/interface.hpp"
#include "framework/interfaces/places.hpp"

namespace hawser::interfaces {

/// An address as the kernel lists it, before anything else is known.
struct KernelAddress {
  std::string label;        // "eth0:1"
  std::uint32_t index = 0;  // of the device, the kernel's
  unsigned flags = 0;       // IFF_*
  IpAddress address;        // this one
  unsigned prefix = 0;      // bits
};

/// Addresses of interfaces that are up, in the kernel's order, any family we speak.
Result<std::vector<KernelAddress>> kernel_addresses();

/// Completes a list of addresses with what sysfs knows of their devices. Whatever cannot be read stays
/// unknown. The result is sorted by address, so that it does not depend on the kernel's order. `hwloc` is
/// asked for places only where they can matter (several devices on a bus and several NUMA nodes, or a
/// topology of the user's in HWLOC_XMLFILE), and overrules sysfs; null: sysfs alone.
std::vector<Interface> describe(const std::vector<KernelAddress>& addresses,
                                const std::string& sysfs = "/sys", const Places& (*hwloc)() = nullptr);

/// All usable addresses of this network namespace.
Result<std::vector<Interface>> enumerate();

}  // namespace hawser::interfaces
