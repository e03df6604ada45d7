// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tools/topo/report.hpp"

namespace hawser::tools {

namespace {

// Whether two devices differ in nothing that a line would show, but name and address.
bool alike(const TopoNic& a, const TopoNic& b) {
  auto why = [](const TopoNic& nic) {
    std::vector<std::string> result;
    for (const auto& address : nic.addresses) result.push_back(address.why_not);
    return result;
  };
  return a.up == b.up && a.speed_mbps == b.speed_mbps && a.properties == b.properties &&
         a.numa_node == b.numa_node && a.locality == b.locality && use_text(a) == use_text(b) &&
         why(a) == why(b);
}

// "dum" of "dum12"
std::string_view stem(std::string_view name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

}  // namespace

std::vector<std::vector<const TopoNic*>> folded(const std::vector<TopoNic>& nics,
                                                const std::vector<const TopoNic*>& apart) {
  constexpr std::size_t kWorthFolding = 4;
  auto is_apart = [&](const TopoNic& nic) { return std::ranges::find(apart, &nic) != apart.end(); };
  std::vector<std::vector<const TopoNic*>> result;
  for (std::size_t i = 0; i < nics.size();) {
    std::size_t end = i + 1;
    while (end < nics.size() && !is_apart(nics[i]) && !is_apart(nics[end]) && alike(nics[i], nics[end]) &&
           stem(nics[i].name) == stem(nics[end].name)) {
      ++end;
    }
    const bool together = end - i >= kWorthFolding;
    if (together) result.emplace_back();
    for (; i < end; ++i) {
      if (!together) result.emplace_back();
      result.back().push_back(&nics[i]);
    }
  }
  return result;
}

std::string use_text(const TopoNic& nic) {
  const std::string against = interfaces::describe_properties(nic.properties);
  const std::string tail = against.empty() ? "" : ", " + against;
  if (!nic.up) return "not used: the interface is down";
  if (nic.addresses.empty()) return "not used: no address" + tail;
  if (!nic.used()) return "not used: " + clean(nic.addresses[0].why_not);
  if (nic.properties & interfaces::kLoopback) return "used within this node";
  if (against.empty()) return "used";
  return "used only if nothing better: " + against;
}

std::string numa_text(const TopoNic& nic) {
  if (nic.numa_node < 0) return "";
  const char* where = nic.locality == interfaces::Locality::kNear  ? ", near"
                      : nic.locality == interfaces::Locality::kFar ? ", far"
                                                                   : "";
  return fmt::format("{}{}", nic.numa_node, where);
}

}  // namespace hawser::tools
