// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/sysfs.hpp"

#include <net/if_arp.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace hawser::interfaces {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxStack = 8;  // devices on devices; more is a loop
constexpr unsigned kMaxCores = 1 << 16;
constexpr int kMaxBelow = 256;  // devices below one

std::optional<long> read_number(const fs::path& path) {
  std::ifstream file(path);
  long value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

std::uint32_t read_count(const fs::path& path) {
  const auto value = read_number(path);
  return value && *value > 0 ? static_cast<std::uint32_t>(*value) : 0;
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

DeviceFacts read_one(const fs::path& folder, const std::string& device) {
  DeviceFacts facts;
  facts.properties = read_properties(folder);
  facts.speed_mbps = read_count(folder / "speed");
  facts.mtu = read_count(folder / "mtu");
  facts.numa_node = read_numa_node(folder);
  std::error_code ignored;
  if (fs::exists(folder / "device", ignored)) facts.hardware.insert(device);
  return facts;
}

// `above` has no locality of its own: that of the devices below, if they agree.
class Below {
 public:
  void add(const DeviceFacts& below) {
    if (count_++ == 0) node_ = below.numa_node;
    if (node_ != below.numa_node) node_ = -1;
    speed_mbps_ = std::max(speed_mbps_, below.speed_mbps);
    hardware_.insert(below.hardware.begin(), below.hardware.end());
  }
  void complete(DeviceFacts& above) const {
    if (above.numa_node < 0) above.numa_node = node_;
    if (above.speed_mbps == 0) above.speed_mbps = speed_mbps_;
    if (above.hardware.empty()) above.hardware = hardware_;
  }

 private:
  int count_ = 0;
  int node_ = -1;
  std::uint32_t speed_mbps_ = 0;
  std::set<std::string> hardware_;
};

// `left` bounds the devices that are looked at: stacks may be wide, and broken ones may be circles.
DeviceFacts read_stack(const fs::path& sysfs, const std::string& device, int depth, int& left) {
  const fs::path folder = sysfs / "class" / "net" / device;
  DeviceFacts facts = read_one(folder, device);
  if (depth >= kMaxStack) return facts;
  Below below;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end && left > 0; at.increment(error)) {
    const std::string entry = at->path().filename().string();
    if (entry.rfind("lower_", 0) == 0) below.add(read_stack(sysfs, entry.substr(6), depth + 1, --left));
  }
  below.complete(facts);
  return facts;
}

// Calls `each` for the numbers of "0-3,8,10-11" until it answers true.
template <class Each>
bool any_of_list(const std::string& list, Each&& each) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    unsigned first = 0;
    const char* end = part.data() + part.size();
    const auto read = std::from_chars(part.data(), end, first);
    if (read.ec != std::errc()) continue;
    unsigned last = first;
    if (read.ptr != end && *read.ptr == '-') std::from_chars(read.ptr + 1, end, last);
    for (unsigned number = first; number <= last && number < kMaxCores; ++number) {
      if (each(number)) return true;
    }
  }
  return false;
}

std::string read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

DeviceFacts read_device(const std::string& sysfs, const std::string& device, std::uint32_t index) {
  try {
    const auto there = read_number(fs::path(sysfs) / "class" / "net" / device / "ifindex");
    if (index != 0 && there && *there != static_cast<long>(index)) return {};
    int left = kMaxBelow;
    return read_stack(sysfs, device, 0, left);
  } catch (const std::exception&) {
    return {};  // sysfs changed under us, or is not there: nothing is known
  }
}

std::size_t count_numa_nodes(const std::string& sysfs) {
  std::size_t count = 0;
  any_of_list(read_line(sysfs + "/devices/system/node/has_cpu"), [&](unsigned) {
    ++count;
    return false;
  });
  return std::max<std::size_t>(count, 1);
}

std::vector<bool> own_cores() {
  std::vector<bool> cores;
  for (unsigned room = 1024; room <= kMaxCores; room *= 4) {  // the kernel may know more than a cpu_set_t
    std::vector<cpu_set_t> sets(room / CPU_SETSIZE);
    const std::size_t size = sets.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, size, sets.data()) != 0) continue;
    for (unsigned core = 0; core < room; ++core) cores.push_back(CPU_ISSET_S(core, size, sets.data()));
    break;
  }
  return cores;
}

Locality locality_of(int numa_node, const std::string& sysfs) {
  if (numa_node < 0) return Locality::kUnknown;
  const std::string list =
      read_line(sysfs + "/devices/system/node/node" + std::to_string(numa_node) + "/cpulist");
  const std::vector<bool> ours = own_cores();
  if (list.empty() || ours.empty()) return Locality::kUnknown;
  const bool near = any_of_list(list, [&](unsigned core) { return core < ours.size() && ours[core]; });
  return near ? Locality::kNear : Locality::kFar;
}

}  // namespace hawser::interfaces
