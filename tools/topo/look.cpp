// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/topo/look.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <variant>

#include "framework/base/fd.hpp"
#include "framework/interfaces/enumerate.hpp"
#include "framework/interfaces/filter.hpp"
#include "framework/interfaces/routes.hpp"
#include "framework/interfaces/sysfs.hpp"
#include "framework/mca/value.hpp"
#include "framework/runtime/proc_blob.hpp"

namespace hawser::tools {

namespace {

using interfaces::Interface;

// A parameter's value and source, for a sentence: `btl_tcp_if_include = "e0" (command line)`.
std::string setting_text(const Findings& findings, const std::string& name) {
  const mca::ParamView* param = findings.registry.find(name);
  if (!param) return name;
  return fmt::format("{} = \"{}\" ({})", name, param->value, param->where);
}

std::string value_of(const Findings& findings, const std::string& name) {
  const mca::ParamView* param = findings.registry.find(name);
  return param ? param->value : std::string();
}

int number_of(const Findings& findings, const std::string& name, int usual) {
  const mca::ParamView* param = findings.registry.find(name);
  if (!param) return usual;
  const auto value = mca::parse_value(*param->row, param->value);
  if (!value) return usual;
  if (const auto* word = std::get_if<std::string>(&*value)) return std::atoi(word->c_str());  // of a choice
  const auto* number = std::get_if<std::int64_t>(&*value);
  return number ? static_cast<int>(*number) : usual;
}

interfaces::Wish wish_of(const Findings& findings) {
  return {value_of(findings, "btl_tcp_if_include"), value_of(findings, "btl_tcp_if_exclude"),
          number_of(findings, "btl_tcp_disable_family", 0)};
}

// Devices that are down or have no address are of interest too: the user may look for one of them.
std::vector<TopoNic> all_devices(Findings& findings) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) {
    findings.errors.push_back(system_error("listing the network interfaces", errno).text);
    return {};
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  std::vector<TopoNic> nics;
  for (const ifaddrs* at = list; at; at = at->ifa_next) {
    if (!at->ifa_addr || at->ifa_addr->sa_family != AF_PACKET) continue;
    TopoNic nic;
    nic.name = at->ifa_name;
    nic.index = ::if_nametoindex(at->ifa_name);
    nic.up = (at->ifa_flags & IFF_UP) != 0;
    const auto facts = interfaces::read_device("/sys", nic.name, nic.index);
    nic.speed_mbps = facts.speed_mbps;
    nic.mtu = facts.mtu;
    nic.properties = facts.properties;
    nic.numa_node = facts.numa_node;
    if (at->ifa_flags & IFF_LOOPBACK) nic.properties = interfaces::kLoopback;
    nic.locality = interfaces::locality_of(facts.numa_node, "/sys");
    nics.push_back(std::move(nic));
  }
  return nics;
}

// Entry of a list that selects an address; "" if none does.
std::string selecting_entry(const std::string& list, const Interface& interface) {
  const auto selectors = interfaces::parse_selectors(list);
  if (!selectors) return "";
  for (const auto& selector : *selectors) {
    if (selector.selects(interface)) return selector.text;
  }
  return "";
}

bool both_lists(const interfaces::Wish& wish) {
  return !mca::trim(wish.include).empty() && !mca::trim(wish.exclude).empty();
}

// Why the lists leave an address out.
std::string why_left_out(const Findings& findings, const interfaces::Wish& wish, const Interface& interface) {
  if (static_cast<int>(interface.address.family) == wish.disable_family) {
    return "family switched off by " + setting_text(findings, "btl_tcp_disable_family");
  }
  if (both_lists(wish)) return "btl_tcp_if_include and btl_tcp_if_exclude are both set";
  if (!mca::trim(wish.include).empty() && selecting_entry(wish.include, interface).empty()) {
    return "not in " + setting_text(findings, "btl_tcp_if_include");
  }
  if (const std::string entry = selecting_entry(wish.exclude, interface); !entry.empty()) {
    return "excluded by " + setting_text(findings, "btl_tcp_if_exclude");
  }
  return "the parameters in effect select nothing";
}

// As the component finds out when it listens; an address that is not yet confirmed, or a duplicate, shows
// here.
std::string why_not_bound(const Interface& interface) {
  const auto address = interfaces::socket_address(interface.address, 0, interface.index);
  const Fd socket(::socket(address.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return fmt::format("no socket of that family: {}", std::strerror(errno));
  if (::bind(socket.get(), address.get(), address.size) == 0) return "";
  if (errno == EADDRNOTAVAIL) return "the kernel has not confirmed the address yet, or another host has it";
  return fmt::format("cannot be bound: {}", std::strerror(errno));
}

bool contains(const std::vector<Interface>& list, const Interface& interface) {
  return std::ranges::any_of(list, [&](const Interface& other) {
    return other.index == interface.index && other.address == interface.address;
  });
}

// What the component would select; empty, with the reason told, if it would not open.
std::vector<Interface> selection(const std::vector<Interface>& all, const interfaces::Wish& wish,
                                 Findings& findings) {
  auto selected = interfaces::select(all, wish);
  if (selected) {
    for (auto& note : selected->notes) findings.notes.push_back(std::move(note.text));
    return std::move(selected->interfaces);
  }
  if (both_lists(wish)) return {};  // the registry has told so, with the sources
  const bool asked = !mca::trim(wish.include).empty() || !mca::trim(wish.exclude).empty();
  auto& lines = asked ? findings.errors : findings.notes;
  lines.push_back("tcp would not open: " + selected.error().text);
  return {};
}

std::vector<TopoAddress> judged(const std::vector<Interface>& all, Findings& findings) {
  const interfaces::Wish wish = wish_of(findings);
  const auto selected = selection(all, wish, findings);
  const auto needed = interfaces::without_needless(selected);
  std::vector<TopoAddress> result;
  std::size_t used = 0;
  for (const Interface& interface : all) {
    TopoAddress address{interface, ""};
    if (!contains(selected, interface)) {
      address.why_not = why_left_out(findings, wish, interface);
    } else if (!contains(needed, interface)) {
      address.why_not = "link-local, not needed";
    } else if (used == kMaxPublished) {
      address.why_not = fmt::format("only the first {} addresses are published", kMaxPublished);
    } else {
      const auto kept = std::ranges::find_if(needed, [&](const Interface& other) {
        return other.index == interface.index && other.address == interface.address;
      });
      address.interface = *kept;  // it knows whether the user named it
      address.why_not = why_not_bound(interface);
      used += address.used() ? 1 : 0;
    }
    result.push_back(std::move(address));
  }
  return result;
}

void place(std::vector<TopoNic>& nics, TopoAddress address) {
  auto nic = std::ranges::find(nics, address.interface.index, &TopoNic::index);
  if (nic == nics.end()) {  // it came after the list of devices was read
    TopoNic made;
    made.name = address.interface.name;
    made.index = address.interface.index;
    nics.push_back(made);
    nic = nics.end() - 1;
  }
  const Interface& known = address.interface;
  nic->speed_mbps = known.speed_mbps;
  nic->mtu = known.mtu;
  nic->properties = known.properties & ~std::uint32_t{interfaces::kNamed};
  nic->numa_node = known.numa_node;
  nic->locality = known.locality;
  nic->addresses.push_back(std::move(address));
}

void note_component(Findings& findings) {
  for (const auto& plugin : findings.loader.plugins()) {
    if (plugin.name != "tcp" || plugin.stage == loader::Stage::kShadowed) continue;
    if (plugin.stage == loader::Stage::kSelected) return;
    findings.notes.push_back(fmt::format("component tcp is not used ({}); shown is what it would do",
                                         plugin.reason.empty() ? to_text(plugin.stage) : plugin.reason));
    return;
  }
  findings.errors.push_back("there is no component tcp; shown is what it would do without parameters");
}

}  // namespace

TopoHost look_here(Findings& findings) {
  note_component(findings);
  TopoHost host;
  host.proc = runtime::this_proc(0);
  host.name = host.proc.host;
  host.links = static_cast<std::uint32_t>(number_of(findings, "btl_tcp_links", 1));
  host.nics = all_devices(findings);
  auto all = interfaces::enumerate();
  if (!all) {
    findings.errors.push_back(all.error().text);
    return host;
  }
  for (auto& address : judged(*all, findings)) place(host.nics, std::move(address));
  if (auto routes = interfaces::routes()) {
    host.routes = std::move(*routes);
  } else {
    findings.notes.push_back("routes are not known: " + routes.error().text);
  }
  sort_nics(host.nics);
  return host;
}

}  // namespace hawser::tools
