// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "framework/base/machine.hpp"
#include "tools/common/gather.hpp"

namespace hawser::tools {

/// A state machine and whose it is.
struct Machine {
  std::string owner;  // "component tcp"
  const MachineInfo* info;
};

/// Those of the layers, then those of every component that was found. One whose edges lead outside its tables
/// is left out and told as an error.
std::vector<Machine> find_machines(Findings& findings);

std::string machines_text(const std::vector<Machine>& machines, std::size_t width, bool colour);
/// One graph for each, in the language of Graphviz.
std::string machines_dot(const std::vector<Machine>& machines);
std::string machines_md(const std::vector<Machine>& machines);
nlohmann::ordered_json machines_json(const std::vector<Machine>& machines);

}  // namespace hawser::tools
