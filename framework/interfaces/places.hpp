// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/interfaces/interface.hpp"

namespace hawser::interfaces {

/// Where a device sits, as hwloc has it.
struct Place {
  int numa_node = -1;                      // the only one nearby; -1: none or several
  Locality locality = Locality::kUnknown;  // seen from our cores

  /// Both members.
  bool operator==(const Place&) const = default;
};
using Places = std::map<std::string, Place>;  // of network devices, by name

inline constexpr const char* kHwlocLibrary = "libhwloc.so.15";  // that of every hwloc 2

/// Loads hwloc, asks it once, and frees what it made; hwloc's own environment (HWLOC_XMLFILE) is honoured.
/// Costs milliseconds. Network devices whose place is the whole machine are left out. kUnsupported: it is not
/// installed, or of another major version; kSystem: it cannot read this machine.
Result<Places> read_places(const std::vector<bool>& own_cores, const std::string& library = kHwlocLibrary);

/// What read_places answers, asked at the first call and kept for the process; empty if it fails, which is no
/// fault: sysfs answers then. Any thread.
const Places& kept_places();

}  // namespace hawser::interfaces
