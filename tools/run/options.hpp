// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hawser::tools {

/// Why nothing is started: a text for people and the exit status. Status 0: only the text was asked for.
struct Failure {
  std::string text;
  int status = 2;
};

/// What the command line asks for.
struct Options {
  std::uint32_t ranks = 0;
  std::vector<std::pair<std::string, std::string>> mca;
  std::vector<std::string> tune;                               // absolute file names
  std::vector<std::pair<std::string, std::string>> variables;  // -x, set for every rank
  bool bind_to_core = false;
  bool tag_output = false;
  bool quiet = false;
  double timeout_s = 0;              // 0: none
  std::vector<std::string> wrap;     // words before the program, with {rank}
  std::string folder;                // "": where we are
  std::int64_t stdin_rank = 0;       // -1: none
  std::vector<std::string> program;  // with its arguments
};

std::optional<Failure> parse_options(int argc, char** argv, Options& out);

/// Words as a shell would cut them: blanks, '...', "...", backslash; nothing is expanded. Nothing: an open
/// quote.
std::optional<std::vector<std::string>> split_words(const std::string& text);

}  // namespace hawser::tools
