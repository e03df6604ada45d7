// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/enumerate.hpp"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <memory>

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
  if ((flags & IFF_NOARP) && !(flags & IFF_LOOPBACK)) properties |= kNoNeighbours;
  return properties;
}

Interface describe_one(const KernelAddress& raw, const std::string& sysfs) {
  Interface result;
  result.label = raw.label;
  result.name = raw.label.substr(0, raw.label.find(':'));  // a device's name has no colon, a label may
  result.index = raw.index;
  result.address = raw.address;
  result.prefix = raw.prefix;
  const DeviceFacts facts = read_device(sysfs, result.name);
  result.properties = properties_of_flags(raw.flags) | facts.properties;
  if (result.has(kLoopback)) result.properties = kLoopback;  // what sysfs says of it means nothing
  result.speed_mbps = facts.speed_mbps;
  result.mtu = facts.mtu;
  result.numa_node = facts.numa_node;
  result.locality = locality_of(facts.numa_node, sysfs);
  return result;
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
    const std::string device = label.substr(0, label.find(':'));
    const unsigned prefix = at->ifa_netmask ? prefix_of(at->ifa_netmask) : address->bits();
    result.push_back({label, ::if_nametoindex(device.c_str()), at->ifa_flags, *address, prefix});
  }
  return result;
}

std::vector<Interface> describe(const std::vector<KernelAddress>& addresses, const std::string& sysfs) {
  std::vector<Interface> result;
  result.reserve(addresses.size());
  for (const KernelAddress& raw : addresses) result.push_back(describe_one(raw, sysfs));
  std::sort(result.begin(), result.end(), [](const Interface& a, const Interface& b) {
    return std::tie(a.address, a.index) < std::tie(b.address, b.index);
  });
  return result;
}

Result<std::vector<Interface>> enumerate() {
  auto addresses = kernel_addresses();
  if (!addresses) return addresses.error();
  return describe(*addresses);
}

}  // namespace hawser::interfaces
