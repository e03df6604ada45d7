// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "framework/interfaces/interface.hpp"

namespace hawser::interfaces {

inline constexpr std::uint32_t kMainTable = 254;  // RT_TABLE_MAIN

/// What the datagrams of one dump (NLM_F_DUMP) of routes (RTM_GETROUTE) or rules (RTM_GETRULE) have told so
/// far.
struct RouteDump {
  std::set<std::uint32_t> tables{kMainTable};  // whose routes are taken
  std::vector<Route> routes;                   // as the kernel lists them
  std::set<std::uint32_t> source_tables;       // that rules choose by the source address alone
  bool done = false;                           // the last message was seen
  bool interrupted = false;  // the table changed meanwhile: what we have may not fit together
  bool malformed = false;    // a length that cannot be; the rest of the datagram was not read
  int error = 0;             // an errno that the kernel answered
};

/// Reads one datagram; messages of another request than `sequence` are skipped. Takes unicast routes of
/// `tables`, one per next hop; not those through loopback, nor link-local networks (every link has those).
/// Bounds-checked: any bytes may come.
void read_datagram(std::string_view bytes, std::uint32_t sequence, RouteDump& dump);

/// Sorted by network, longest prefix first; no duplicates; of more than `limit`, those with the shortest
/// prefixes.
std::vector<Route> in_order(std::vector<Route> routes, std::size_t limit);

}  // namespace hawser::interfaces
