// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/common/gather.hpp"
#include "tools/topo/host.hpp"
#include "tools/topo/pairing.hpp"

namespace hawser::tools {

/// How the text is to look.
struct TopoView {
  std::size_t width = 100;  // columns
  bool colour = false;
  bool all = false;  // nothing folded
};

std::string topo_text(const TopoHost& host, const std::vector<Pairing>& pairings, const Findings& findings,
                      const TopoView& view);

/// The same for programs, and for --peer on another host. Values may hold any byte; what is no UTF-8 is
/// replaced.
std::string topo_json(const TopoHost& host, const std::vector<Pairing>& pairings, const Findings& findings);

/// A picture: an SVG document of its own.
std::string topo_svg(const TopoHost& host, const std::vector<Pairing>& pairings);

/// Interfaces that may be shown as one: neighbours in `nics` whose names count up and that differ in nothing
/// but address and name. Each group has at least one, those of fewer than four are single. `apart` are never
/// folded.
std::vector<std::vector<const TopoNic*>> folded(const std::vector<TopoNic>& nics,
                                                const std::vector<const TopoNic*>& apart);

/// What tcp makes of a device, for people: "used", "used only if nothing better: no carrier".
std::string use_text(const TopoNic& nic);

/// "node 0, near"; "" if unknown
std::string numa_text(const TopoNic& nic);

}  // namespace hawser::tools
