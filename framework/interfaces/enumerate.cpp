// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/enumerate.hpp"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "framework/interfaces/sysfs.hpp"

namespace hawser::interfaces {
namespace {

unsigned prefix_of(const sockaddr* mask) noexcept {
  // Some kernels leave the family of a mask empty; an absent mask means a single address.
  const auto address = IpAddress::from(mask);
  if (!address) return 0;
  unsigned bits = 0;
  for (const unsigned char byte : address->bytes) bits += static_cast<unsigned>(std::popcount(byte));
  return bits;
}

std::uint32_t properties_of_flags(unsigned flags) noexcept {
  std::uint32_t properties = 0;
  if (flags & IFF_LOOPBACK) properties |= kLoopback;
  if (flags & IFF_POINTOPOINT) properties |= kPointToPoint;
  if (!(flags & IFF_RUNNING)) properties |= kNoCarrier;
  // Two ends of a tunnel need not look for each other.
  if ((flags & IFF_NOARP) && !(flags & (IFF_LOOPBACK | IFF_POINTOPOINT))) properties |= kNoNeighbours;
  return properties;
}

Interface describe_one(const KernelAddress& raw, const std::string& name, const DeviceFacts& facts) {
  Interface result;
  result.label = raw.label;
  result.name = name;
  result.index = raw.index;
  result.address = raw.address;
  result.prefix = raw.prefix;
  result.properties = properties_of_flags(raw.flags) | facts.properties;
  if (result.has(kLoopback)) result.properties = kLoopback;  // what sysfs says of it means nothing
  result.speed_mbps = facts.speed_mbps;
  result.mtu = facts.mtu;
  return result;
}

std::string device_of(const std::string& label) {
  return label.substr(0, label.find(':'));  // a device's name has no colon, a label may
}

using Devices = std::map<std::string, DeviceFacts>;

Devices read_devices(const std::vector<KernelAddress>& addresses, const std::string& sysfs) {
  Devices devices;
  for (const KernelAddress& raw : addresses) {
    const std::string name = device_of(raw.label);
    if (!devices.count(name)) devices[name] = read_device(sysfs, name, raw.index);
  }
  return devices;
}

bool places_matter(const Devices& devices, const std::string& sysfs) {
  const char* topology = ::secure_getenv("HWLOC_XMLFILE");
  if (topology && *topology) return true;
  std::set<std::string> hardware;
  for (const auto& [name, facts] : devices) hardware.insert(facts.hardware.begin(), facts.hardware.end());
  return hardware.size() > 1 && count_numa_nodes(sysfs) > 1;
}

// A device that stands on others is where they are, if they agree. Nothing: hwloc does not know.
std::optional<Place> place_of(const std::string& name, const DeviceFacts& facts, const Places& places) {
  const auto own = places.find(name);
  if (own != places.end()) return own->second;
  std::optional<Place> common;
  for (const std::string& below : facts.hardware) {
    const auto found = places.find(below);
    if (found == places.end()) return std::nullopt;
    if (common && *common != found->second) return Place{};
    common = found->second;
  }
  return common;
}

void locate(Interface& interface, const DeviceFacts& facts, const std::string& sysfs, const Places* places) {
  if (interface.has(kLoopback)) return;
  const auto place = places ? place_of(interface.name, facts, *places) : std::nullopt;
  interface.numa_node = place ? place->numa_node : facts.numa_node;
  interface.locality = place ? place->locality : locality_of(facts.numa_node, sysfs);
}

}  // namespace

std::string describe_properties(std::uint32_t properties) {
  static constexpr struct {
    Property property;
    const char* words;
  } kWords[] = {{kBridgeWithoutPorts, "bridge without ports"},
                {kNoCarrier, "no carrier"},
                {kTunnel, "tunnel"},
                {kPointToPoint, "point-to-point"},
                {kNoNeighbours, "resolves no neighbours"}};
  std::string text;
  for (const auto& [property, words] : kWords) {
    if (!(properties & property)) continue;
    if (!text.empty()) text += ", ";
    text += words;
  }
  return text;
}

Result<std::vector<KernelAddress>> kernel_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return system_error("listing the network interfaces", errno);
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  std::vector<KernelAddress> result;
  for (const ifaddrs* at = list; at; at = at->ifa_next) {
    const auto address = IpAddress::from(at->ifa_addr);
    if (!address || !(at->ifa_flags & IFF_UP)) continue;
    const std::string label = at->ifa_name;
    const unsigned prefix = at->ifa_netmask ? prefix_of(at->ifa_netmask) : address->bits();
    result.push_back({label, ::if_nametoindex(device_of(label).c_str()), at->ifa_flags, *address, prefix});
  }
  return result;
}

std::vector<Interface> describe(const std::vector<KernelAddress>& addresses, const std::string& sysfs,
                                const Places& (*hwloc)()) {
  const Devices devices = read_devices(addresses, sysfs);
  const Places* places = hwloc && places_matter(devices, sysfs) ? &hwloc() : nullptr;
  std::vector<Interface> result;
  result.reserve(addresses.size());
  for (const KernelAddress& raw : addresses) {
    const auto& [name, facts] = *devices.find(device_of(raw.label));
    result.push_back(describe_one(raw, name, facts));
    locate(result.back(), facts, sysfs, places);
  }
  std::sort(result.begin(), result.end(), [](const Interface& a, const Interface& b) {
    return std::tie(a.address, a.index) < std::tie(b.address, b.index);
  });
  return result;
}

Result<std::vector<Interface>> enumerate() {
  auto addresses = kernel_addresses();
  if (!addresses) return addresses.error();
  return describe(*addresses, "/sys", &kept_places);
}

}  // namespace hawser::interfaces
