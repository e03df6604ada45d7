// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/base/result.hpp"
#include "tools/topo/host.hpp"

namespace hawser::tools {

/// A peer as the user names it: a list of addresses ("10.9.0.2/24,fd00::2@1000": prefix in bits and speed in
/// Mbit/s may be left out), the file that `hawser topo --json` wrote there, or "-" for such a file on stdin.
/// An address without a prefix gets that of the network of `ours` it lies in. The error names the peer, the
/// place in it, and what was expected there.
Result<TopoHost> read_peer(const std::string& text, const TopoHost& ours);

/// The short form alone.
Result<TopoHost> peer_of_addresses(const std::string& text, const TopoHost& ours);

/// A description in JSON; `from` is its file, for messages.
Result<TopoHost> peer_of_json(const std::string& bytes, const std::string& from);

}  // namespace hawser::tools
