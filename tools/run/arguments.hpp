// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/run/options.hpp"

namespace hawser::tools {

/// The command line in two parts: the launcher's own options, each as one word `--name` or `--name=value` (a
/// pair's halves joined by kPairMark), and the program with its arguments.
struct Arguments {
  std::vector<std::string> own;
  std::vector<std::string> program;
};

inline constexpr char kPairMark = '\x1f';

/// Takes the forms that users of other launchers type: `-np 4`, `-mca a b`, `--n=4`. Stops at the first word
/// that is not an option. An unknown option is a failure that names the nearest known one.
std::optional<Failure> split_arguments(int argc, char** argv, Arguments& out);

}  // namespace hawser::tools
