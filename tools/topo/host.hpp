// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/btl/host.hpp"
#include "framework/interfaces/interface.hpp"

namespace hawser::tools {

/// An address, and what the tcp component makes of it.
struct TopoAddress {
  interfaces::Interface interface;
  std::string why_not;  // for people; empty: it is published and listened on

  bool used() const { return why_not.empty(); }
};

/// A device of the system, with or without addresses.
struct TopoNic {
  std::string name;
  std::uint32_t index = 0;
  bool up = true;
  std::uint32_t speed_mbps = 0;  // 0: unknown
  std::uint32_t mtu = 0;         // 0: unknown
  std::uint32_t properties = 0;  // interfaces::Property, of the device
  int numa_node = -1;            // -1: unknown
  interfaces::Locality locality = interfaces::Locality::kUnknown;
  std::vector<TopoAddress> addresses;

  bool used() const;
};

/// A side: this machine, or a peer as a file or the command line describes it.
struct TopoHost {
  std::string name;
  std::string from;     // "b.json", "--peer 10.9.0.2/24"; empty: this machine
  btl::Proc proc = {};  // who shares a node with whom; all zero: unknown
  std::uint32_t links = 1;
  std::vector<TopoNic> nics;
  std::vector<interfaces::Route> routes;

  std::size_t used_addresses() const;
  const TopoNic* nic(std::uint32_t index) const;
};

/// What a process publishes at most; further addresses are not used.
inline constexpr std::size_t kMaxPublished = 256;

/// Properties that speak against an interface, whatever the user says of it.
std::uint32_t penalties(const TopoNic& nic);

/// Those that serve first: used without a penalty, used, not used, loopback; then fast ones; then by name
/// with its numbers as numbers.
void sort_nics(std::vector<TopoNic>& nics);

/// "eth2" before "eth10".
bool natural_less(std::string_view a, std::string_view b);

/// "eth0, dum0..dum19": sorted, without duplicates, rows of three and more folded.
std::string fold_names(std::vector<std::string> names);

/// "2.5 Gbit/s"; "unknown"
std::string speed_text(std::uint32_t mbps);

/// Names of interfaces and hosts may hold anything; what a terminal or XML would choke on becomes "?".
std::string clean(std::string_view text);

}  // namespace hawser::tools
