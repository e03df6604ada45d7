// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The program `hawser`: hands over to the sub-command that its first argument names.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "framework/mca/nearest.hpp"
#include "tools/check/command.hpp"
#include "tools/info/info.hpp"
#include "tools/new/new.hpp"
#include "tools/perf/perf.hpp"
#include "tools/run/run.hpp"
#include "tools/top/top.hpp"
#include "tools/topo/topo.hpp"

namespace {

struct Command {
  const char* name;
  int (*main)(int argc, char** argv);
  const char* help;
};

constexpr Command kCommands[] = {
    {"run", &hawser::tools::run_main, "start the ranks of a program on this machine"},
    {"info", &hawser::tools::info_main, "components and parameters: what there is, what is used, and why"},
    {"topo", &hawser::tools::topo_main, "interfaces of this machine, and the pairs that join it with others"},
    {"top", &hawser::tools::top_main, "what a running job does: its ranks, queues and rails"},
    {"check", &hawser::tools::check_main, "whether a component keeps the promises of the SDK"},
    {"new", &hawser::tools::new_main, "write a component of your own, to start from"},
    {"perf", &hawser::tools::perf_main, "latency, bandwidth and message rate between two ranks"},
};

const Command* find_command(std::string_view name) {
  // The names that MPI programs are started by elsewhere.
  if (name == "mpirun" || name == "mpiexec") name = "run";
  for (const Command& command : kCommands) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

int unknown_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  std::string near = hawser::mca::did_you_mean(name, names);
  fmt::print(stderr, "hawser: there is no command \"{}\"{} See `hawser --help`.\n", name,
             near.empty() ? "." : near);
  return 2;
}

/// Without a command: help and version.
int own_options(int argc, char** argv) {
  CLI::App app("Message passing over transports that are chosen at run time.", "hawser");
  app.set_version_flag("--version,-V", "hawser " HAWSER_VERSION);
  for (const Command& command : kCommands) app.add_subcommand(command.name, command.help);
  app.footer("`hawser COMMAND --help` tells more about each.");
  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  return 0;
}

int run_command(int argc, char** argv) {
  if (argc > 0) {
    std::string_view own = file_name(argv[0]);
    if (own == "mpirun" || own == "mpiexec") {
      if (const Command* command = find_command(own)) return command->main(argc, argv);
    }
  }
  if (argc > 1 && argv[1][0] != '-') {
    const Command* command = find_command(argv[1]);
    return command ? command->main(argc - 1, argv + 1) : unknown_command(argv[1]);
  }
  return own_options(argc, argv);
}

/// What was printed may still lie in memory, and have no room where it goes.
int written(int status) {
  const char* why = std::fflush(stdout) != 0 ? std::strerror(errno) : "a write failed";
  if (!std::ferror(stdout)) return status;
  std::fprintf(stderr, "hawser: not all that it printed could be written: %s\n", why);
  return status == 0 ? 1 : status;
}

}  // namespace

int main(int argc, char** argv) try {
  return written(run_command(argc, argv));
} catch (const std::exception& failure) {  // no memory, or no room for what is printed
  std::fprintf(stderr, "hawser: %s\n", failure.what());
  return 1;
}
