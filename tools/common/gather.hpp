// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bml/params.hpp"
#include "framework/loader/loader.hpp"
#include "framework/mca/registry.hpp"
#include "framework/runtime/params.hpp"
#include "mpi/params.hpp"

namespace CLI {
class App;
}

namespace hawser::tools {

/// What the user asked on the command line of a tool, as he would give it to `hawser run`.
struct Given {
  std::vector<std::pair<std::string, std::string>> mca;  // name, value
  std::vector<std::string> tune;                         // files, later ones stronger
};

/// Everything that is known without a job. Not movable: the registry writes to the members.
struct Findings {
  Findings() = default;
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;

  RuntimeParams runtime;
  bml::BmlParams bml;
  mpi::MpiParams mpi;
  mca::Registry registry;
  loader::Loader loader;
  std::vector<std::string> errors;  // a job would stop with these
  std::vector<std::string> notes;   // a job would run, and say these
};

/// `--mca` and `--tune`, as for `hawser run`. `given` must outlive the parse.
void add_given_options(CLI::App& app, Given& given);

/// Reads all sources, finds the components and applies the selection, as a job does. Goes on after errors.
void gather(const Given& given, Findings& findings);

/// Notes and errors on stderr, one line each, after `command` ("hawser info"); the exit status: 1 if there
/// are errors.
int tell(const Findings& findings, std::string_view command);

/// The framework that a parameter belongs to, for people: "hawser" for hawser_stats, "btl" for btl_tcp_links.
std::string framework_of(const mca::ParamView& param);

}  // namespace hawser::tools
