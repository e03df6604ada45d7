// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/run/options.hpp"

namespace hawser::tools {

/// What each rank executes: a file, and its words.
struct Command {
  std::string file;
  std::vector<std::string> words;
};
using Commands = std::vector<Command>;  // by rank

std::optional<Failure> enter_folder(const std::string& folder);

/// Finds the program (and what is wrapped around it) before anything is started. Status 127: not found; 126:
/// there, but cannot be executed.
std::optional<Failure> find_commands(const Options& options, Commands& out);

}  // namespace hawser::tools
