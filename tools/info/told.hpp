// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/common/gather.hpp"

namespace hawser::tools {

/// Who counts something or has a state machine, and what it tells of that.
struct Teller {
  std::string owner;  // "component tcp", "bml"
  std::string scope;  // what there is one counter of: "module"
  loader::Told told;
};

/// The layers, then every component that was found; what all components count is told once, before them.
/// Components that are older than that are notes.
std::vector<Teller> tellers(Findings& findings);

}  // namespace hawser::tools
