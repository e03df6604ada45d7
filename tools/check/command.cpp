// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/check/command.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>

#include "framework/loader/loader.hpp"
#include "framework/runtime/params.hpp"
#include "tools/check/check.hpp"
#include "tools/check/report.hpp"
#include "tools/common/gather.hpp"
#include "tools/common/output.hpp"
#include "tools/common/terminal.hpp"

namespace hawser::tools {

namespace {

namespace fs = std::filesystem;
using check::Outcome;

constexpr const char* kComponentPath = "mca_component_path";

struct Options {
  std::string component;
  std::vector<std::string> params;
  std::vector<std::string> only;
  std::vector<std::pair<std::string, std::string>> mca;
  std::string json;
  int patience = 20;
  bool list = false;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("COMPONENT", options.component,
                 "the .so, or the name of a component that `hawser info` finds");
  app.add_option("--param", options.params, "a parameter of the component: links=2, or btl_tcp_links=2")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--mca", options.mca,
                 "mca_component_path FOLDERS, to find a component that this one wraps; or a parameter of a "
                 "component: btl_tcp_links 2")
      ->type_name("NAME VALUE")
      ->allow_extra_args(false);
  app.add_option("--only", options.only,
                 "only checks whose name fits: post.one_callback_if_pending, \"post.*\"")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--json", options.json,
                 "write the verdicts there too, for programs; - for stdout instead of text")
      ->type_name("FILE");
  app.add_option("--patience", options.patience, "how long a rank waits while nothing moves; usually 20")
      ->check(CLI::Range(1, 600))
      ->type_name("SECONDS");
  app.add_flag("--list", options.list, "the checks and what each one looks for");
}

/// The file of a component that was named, as a job would find it.
std::optional<std::string> find_by_name(const Options& options) {
  const std::string& name = options.component;
  Findings findings;
  gather({options.mca, {}}, findings);
  for (const auto& plugin : findings.loader.plugins()) {
    if (plugin.name == name && plugin.stage != loader::Stage::kShadowed) return plugin.path;
  }
  return std::nullopt;
}

std::string component_name(const std::string& file) {
  const std::string name = fs::path(file).stem().string();
  constexpr std::string_view kBefore = "hawser_btl_";
  return name.starts_with(kBefore) ? name.substr(kBefore.size()) : name;
}

void read_params(const Options& options, check::Subject& subject) {
  for (const std::string& text : options.params) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos) throw std::runtime_error("--param " + text + ": write it NAME=VALUE");
    std::string name = text.substr(0, at);
    if (!name.starts_with("btl_")) name = fmt::format("btl_{}_{}", subject.name, name);
    subject.settings.push_back({name, text.substr(at + 1), mca::Source::kCommandLine, "command line"});
  }
  for (const auto& [name, value] : options.mca) {
    if (name == kComponentPath) continue;
    if (!name.starts_with("btl_"))
      throw std::runtime_error("--mca " + name + ": a check takes btl_* and " + kComponentPath + " alone");
    subject.settings.push_back({name, value, mca::Source::kCommandLine, "command line"});
  }
}

/// The folder of the file, then what the user has set as a job would read it: what it wraps may be there.
std::string search_path_of(const Options& options, const std::string& folder) {
  RuntimeParams params;
  mca::Registry registry;
  auto done = registry.read_sources();
  for (const auto& [name, value] : options.mca) {
    if (done && name == kComponentPath)
      done = registry.apply({{name, value, mca::Source::kCommandLine, "command line"}});
  }
  const auto rows = runtime_param_rows(params);
  if (done) done = registry.declare("", "", rows.data(), rows.size());
  if (!done) throw std::runtime_error(done.error().text);
  return *params.component_path ? folder + ":" + params.component_path : folder;
}

/// A name that no component has is a mistake of whoever typed it.
void judge_params(const check::Subject& subject) {
  mca::Registry registry;
  loader::Loader loader;
  static_cast<void>(registry.apply(subject.settings));
  static_cast<void>(loader.discover(registry, subject.search_path));
  const auto unknown = registry.unknown_settings(loader.unjudged_prefixes());
  if (!unknown.empty()) throw std::runtime_error(unknown.front());
}

check::Subject subject_of(const Options& options) {
  check::Subject subject;
  subject.patience = std::chrono::seconds(options.patience);
  std::string file = options.component;
  if (file.find('/') == std::string::npos && !file.ends_with(".so")) {
    const auto found = find_by_name(options);
    if (!found)
      throw std::runtime_error("there is no component \"" + file + "\"; name its file, or see `hawser info`");
    file = *found;
  }
  std::error_code error;
  subject.file = fs::canonical(file, error).string();
  if (error) throw std::runtime_error(file + ": " + error.message());
  subject.folder = fs::path(subject.file).parent_path().string();
  subject.search_path = search_path_of(options, subject.folder);
  subject.name = component_name(subject.file);
  read_params(options, subject);
  if (!subject.settings.empty()) judge_params(subject);
  return subject;
}

bool wanted(const check::Check& one, const Options& options) {
  if (options.only.empty()) return true;
  for (const std::string& pattern : options.only) {
    if (::fnmatch(pattern.c_str(), one.name, 0) == 0) return true;
  }
  return false;
}

/// Runs what was asked for and tells each verdict as it comes.
class Run {
 public:
  Run(const Options& options, check::Subject subject) : options_(options), subject_(std::move(subject)) {}

  bool all() {
    for (const check::Check* one : check::all_checks()) {
      if (wanted(*one, options_)) checks_.push_back(one);
    }
    if (checks_.empty()) throw std::runtime_error("no check fits; see `hawser check --list`");
    run_those([](const check::Check& one) { return one.look != nullptr; });
    const bool needs_open = std::any_of(checks_.begin(), checks_.end(), [](auto* one) { return !one->look; });
    if (needs_open) {
      const check::Verdict probed = check::probe(subject_);
      if (probed.outcome == Outcome::kFailed) {
        note(probed);
      } else {
        run_those([](const check::Check& one) { return one.look == nullptr; });
      }
    }
    return report();
  }

 private:
  template <class Which>
  void run_those(Which&& which) {
    for (const check::Check* one : checks_) {
      if (!which(*one)) continue;
      for (const check::Shape shape : check::shapes_for(*one, subject_))
        note(check::run_check(*one, shape, subject_));
    }
  }

  void note(check::Verdict verdict) {
    if (options_.json != "-") {
      fmt::print("{}", check::verdict_line(verdict, wants_colour()));
      std::fflush(stdout);
    }
    verdicts_.push_back(std::move(verdict));
  }

  bool report() const {
    if (options_.json == "-") {
      fmt::print("{}", check::json_report(subject_, verdicts_));
    } else {
      fmt::print("{}: {}\n", subject_.name, check::summary(verdicts_));
      if (!options_.json.empty() &&
          write_out("hawser check", options_.json, check::json_report(subject_, verdicts_)) != 0)
        return false;
    }
    return std::none_of(verdicts_.begin(), verdicts_.end(),
                        [](const check::Verdict& one) { return one.outcome == Outcome::kFailed; });
  }

  const Options& options_;
  check::Subject subject_;
  std::vector<const check::Check*> checks_;
  std::vector<check::Verdict> verdicts_;
};

int check_or_list(const Options& options) {
  if (options.list) {
    fmt::print("{}", check::list_text());
    return 0;
  }
  if (options.component.empty()) throw std::runtime_error("which component? Name it, or its .so");
  return Run(options, subject_of(options)).all() ? 0 : 1;
}

}  // namespace

int check_main(int argc, char** argv) {
  CLI::App app("Whether a component keeps the promises of the SDK: one verdict per promise.", "hawser check");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
    return check_or_list(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "hawser check: {}\n", failure.what());
    return 2;
  }
}

}  // namespace hawser::tools
