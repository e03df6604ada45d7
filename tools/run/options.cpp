// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "framework/modex/cores.hpp"
#include "framework/modex/protocol.hpp"
#include "tools/run/arguments.hpp"

namespace hawser::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples =
    "Examples:\n"
    "  hawser run -n 4 ./ring                        four ranks on this machine\n"
    "  hawser run -n 4 --mca btl self,tcp ./ring     over TCP only\n"
    "  hawser run -n 4 --tune tcp-only.conf ./ring   the same, from a parameter file\n"
    "  hawser run -n 2 --wrap 'ip netns exec host{rank}' ./ring\n"
    "                                                each rank in a network namespace of its own\n"
    "\n"
    "Exit status: that of the first rank that failed, 128+N if signal N killed it, the code of MPI_Abort,\n"
    "124 after --timeout, 126 or 127 if the program cannot be run, 2 for a wrong command line.\n";

/// What CLI11 fills in, before it is checked.
struct Raw {
  std::vector<std::string> mca, tune, variables;
  std::string bind_to = "none", wrap, stdin_to = "0";
  bool no_effect = false;
};

void declare(CLI::App& app, Options& options, Raw& raw) {
  app.set_help_flag("-h,--help", "this text");
  app.set_version_flag("-V,--version", "hawser run " HAWSER_VERSION);
  app.footer(kExamples);
  app.add_option("-n,--n,--np", options.ranks, "number of ranks; else one for each core that may be used")
      ->check(CLI::Range(1U, modex::protocol::kMaxRanks))
      ->option_text("N");
  const auto list = [&](const char* names, std::vector<std::string>& where, const char* help,
                        const char* text) {
    app.add_option(names, where, help)->allow_extra_args(false)->option_text(text);
  };
  list("--mca,--gmca", raw.mca, "set a parameter for all ranks (repeatable)", "NAME VALUE");
  list("--tune", raw.tune, "read parameters from files (repeatable, comma list)", "FILE");
  list("-x,--x", raw.variables, "set an environment variable for all ranks (repeatable)", "NAME[=VALUE]");
  app.add_option("--bind-to", raw.bind_to, "tie each rank to a core, if there are enough; else none")
      ->check(CLI::IsMember({"core", "none"}))
      ->option_text("core|none");
  app.add_flag("--tag-output", options.tag_output, "put [job,rank]<stream>: before each line");
  app.add_option("--timeout", options.timeout_s, "end the job after so long, with status 124")
      ->check(CLI::PositiveNumber)
      ->option_text("SECONDS");
  app.add_option("--wrap", raw.wrap, "put this before the program; {rank} is replaced")
      ->option_text("COMMAND");
  app.add_option("--wdir,--wd", options.folder, "folder to start in")->option_text("FOLDER");
  app.add_option("--stdin", raw.stdin_to, "the rank that gets standard input, or none; else 0")
      ->option_text("RANK");
  app.add_flag("--oversubscribe", raw.no_effect, "accepted: more ranks than cores are always allowed");
  app.add_flag("--allow-run-as-root", raw.no_effect, "accepted, has no effect");
  app.add_flag("-q,--quiet", options.quiet, "no line at the end of a failed job");
}

/// As given; else among the presets of the installation, or of the source tree that we were built in.
std::string find_tune_file(const std::string& name) {
  std::error_code error;
  std::vector<fs::path> places{fs::path(name)};
  if (!fs::path(name).is_absolute()) {
    const fs::path own = fs::read_symlink("/proc/self/exe", error);
    if (!error) places.push_back(own.parent_path().parent_path() / "share/hawser/mca-params" / name);
    places.push_back(fs::path(HAWSER_SOURCE_PRESETS) / name);
  }
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, error)) return fs::absolute(place, error).string();
  }
  return "";
}

std::optional<Failure> take_tune(const Raw& raw, Options& out) {
  for (const std::string& list : raw.tune) {
    for (const std::string& name : CLI::detail::split(list, ',')) {
      if (name.empty()) continue;
      const std::string file = find_tune_file(name);
      if (file.empty())
        return Failure{fmt::format("--tune {}: there is no such file, and no preset of that name", name)};
      if (file.find(':') != std::string::npos)
        return Failure{fmt::format("--tune {}: a colon in the name is not allowed", file)};
      out.tune.push_back(file);
    }
  }
  return std::nullopt;
}

std::optional<Failure> take_pairs(const Raw& raw, Options& out) {
  for (const std::string& pair : raw.mca) {
    const auto mark = pair.find(kPairMark);
    const std::string name = pair.substr(0, mark);
    const std::string value = mark == std::string::npos ? "" : pair.substr(mark + 1);
    if (name.empty() || name.find('=') != std::string::npos || value.find(kPairMark) != std::string::npos) {
      return Failure{
          fmt::format("--mca takes a name and a value, as in --mca btl self,tcp; not \"{}\"", name)};
    }
    out.mca.emplace_back(name, value);
  }
  for (const std::string& setting : raw.variables) {
    const auto equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    const char* inherited = std::getenv(name.c_str());
    if (name.empty()) return Failure{fmt::format("-x {}: a variable needs a name", setting)};
    if (equals != std::string::npos) {
      out.variables.emplace_back(name, setting.substr(equals + 1));
    } else if (!inherited) {
      return Failure{
          fmt::format("-x {}: this variable is not set here; give it a value with -x {}=VALUE", name, name)};
    }
  }
  return std::nullopt;
}

std::optional<Failure> take_stdin(const Raw& raw, Options& out) {
  if (raw.stdin_to == "none") {
    out.stdin_rank = -1;
    return std::nullopt;
  }
  std::uint32_t rank = 0;
  if (!CLI::detail::lexical_cast(raw.stdin_to, rank) || rank >= out.ranks) {
    return Failure{
        fmt::format("--stdin takes a rank (0 to {}) or none, not \"{}\"", out.ranks - 1, raw.stdin_to)};
  }
  out.stdin_rank = rank;
  return std::nullopt;
}

std::optional<Failure> check(const Raw& raw, Options& out) {
  if (out.ranks == 0) out.ranks = std::min(modex::count_cores(), modex::protocol::kMaxRanks);
  out.bind_to_core = raw.bind_to == "core";
  const auto words = split_words(raw.wrap);
  if (!words) return Failure{fmt::format("--wrap '{}': a quote is not closed", raw.wrap)};
  out.wrap = *words;
  if (auto failure = take_pairs(raw, out)) return failure;
  if (auto failure = take_tune(raw, out)) return failure;
  if (auto failure = take_stdin(raw, out)) return failure;
  if (out.program.empty()) return Failure{"which program? See hawser run --help"};
  if (std::find(out.program.begin(), out.program.end(), ":") != out.program.end()) {
    return Failure{"several programs in one job (\":\") are not supported"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::string>> split_words(const std::string& text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote && quote != '\0') {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') return std::nullopt;
  return words;
}

std::optional<Failure> parse_options(int argc, char** argv, Options& out) {
  Arguments arguments;
  if (auto failure = split_arguments(argc, argv, arguments)) return failure;
  CLI::App app("Starts the ranks of a program on this machine. Also called mpirun and mpiexec.",
               "hawser run");
  Raw raw;
  declare(app, out, raw);
  out.program = arguments.program;
  std::reverse(arguments.own.begin(), arguments.own.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments.own));
  } catch (const CLI::CallForHelp&) {
    std::string help = app.help();
    if (const auto at = help.find("[OPTIONS]"); at != std::string::npos)
      help.insert(at + 9, " PROGRAM [arguments]");
    return Failure{help, 0};
  } catch (const CLI::CallForVersion& version) {
    return Failure{std::string(version.what()) + "\n", 0};
  } catch (const CLI::ParseError& error) {
    return Failure{error.what()};
  }
  return check(raw, out);
}

}  // namespace hawser::tools
