// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/sysfs.hpp"

#include <net/if_arp.h>
#include <sched.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace hawser::interfaces {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxStack = 8;  // devices on devices; more is a loop

std::optional<long> read_number(const fs::path& path) {
  std::ifstream file(path);
  long value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

bool is_tunnel(long hardware_type) noexcept {
  return hardware_type == ARPHRD_TUNNEL || hardware_type == ARPHRD_TUNNEL6 || hardware_type == ARPHRD_SIT ||
         hardware_type == ARPHRD_IPGRE || hardware_type == ARPHRD_NONE || hardware_type == ARPHRD_PPP;
}

std::uint32_t read_properties(const fs::path& folder) {
  std::error_code ignored;
  std::uint32_t properties = 0;
  if (fs::is_directory(folder / "bridge", ignored)) {
    properties |= kBridge;
    const fs::path ports = folder / "brif";
    if (fs::is_directory(ports, ignored) && fs::is_empty(ports, ignored)) properties |= kBridgeWithoutPorts;
  }
  if (fs::exists(folder / "tun_flags", ignored)) properties |= kTunnel;
  if (const auto type = read_number(folder / "type"); type && is_tunnel(*type)) properties |= kTunnel;
  if (const auto carrier = read_number(folder / "carrier"); carrier && *carrier == 0)
    properties |= kNoCarrier;
  return properties;
}

// The bus device behind an interface may be some levels below the one that knows its NUMA node.
int read_numa_node(const fs::path& folder) {
  std::error_code error;
  fs::path device = fs::canonical(folder / "device", error);
  for (int level = 0; !error && level < kMaxStack && device.has_relative_path(); ++level) {
    if (const auto node = read_number(device / "numa_node"); node && *node >= 0)
      return static_cast<int>(*node);
    device = device.parent_path();
  }
  return -1;
}

DeviceFacts read_stack(const fs::path& sysfs, const std::string& device, int depth) {
  const fs::path folder = sysfs / "class" / "net" / device;
  DeviceFacts facts;
  facts.properties = read_properties(folder);
  if (const auto speed = read_number(folder / "speed"); speed && *speed > 0) {
    facts.speed_mbps = static_cast<std::uint32_t>(*speed);
  }
  if (const auto mtu = read_number(folder / "mtu"); mtu && *mtu > 0) {
    facts.mtu = static_cast<std::uint32_t>(*mtu);
  }
  facts.numa_node = read_numa_node(folder);
  if (depth >= kMaxStack) return facts;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string entry = at->path().filename().string();
    if (entry.rfind("lower_", 0) != 0) continue;
    const DeviceFacts below = read_stack(sysfs, entry.substr(6), depth + 1);
    if (facts.numa_node < 0) facts.numa_node = below.numa_node;
    if (facts.speed_mbps == 0) facts.speed_mbps = below.speed_mbps;
  }
  return facts;
}

// "0-3,8,10-11": whether one of these cores is in `set`.
bool list_meets(const std::string& list, const cpu_set_t& set) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    unsigned first = 0;
    const char* end = part.data() + part.size();
    const auto read = std::from_chars(part.data(), end, first);
    if (read.ec != std::errc()) continue;
    unsigned last = first;
    if (read.ptr != end && *read.ptr == '-') std::from_chars(read.ptr + 1, end, last);
    for (unsigned core = first; core <= last && core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) return true;
    }
  }
  return false;
}

}  // namespace

DeviceFacts read_device(const std::string& sysfs, const std::string& device) {
  try {
    return read_stack(sysfs, device, 0);
  } catch (const std::exception&) {
    return {};  // sysfs changed under us, or is not there: nothing is known
  }
}

Locality locality_of(int numa_node, const std::string& sysfs) {
  if (numa_node < 0) return Locality::kUnknown;
  std::ifstream file(sysfs + "/devices/system/node/node" + std::to_string(numa_node) + "/cpulist");
  std::string list;
  cpu_set_t set;
  if (!std::getline(file, list) || ::sched_getaffinity(0, sizeof set, &set) != 0) return Locality::kUnknown;
  return list_meets(list, set) ? Locality::kNear : Locality::kFar;
}

}  // namespace hawser::interfaces
