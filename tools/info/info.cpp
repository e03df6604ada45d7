// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/info/info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "framework/mca/nearest.hpp"
#include "framework/mca/print.hpp"
#include "tools/common/gather.hpp"
#include "tools/common/terminal.hpp"
#include "tools/info/report.hpp"

namespace hawser::tools {

namespace {

struct Options {
  Given given;
  View view;
  bool json = false;
  bool params_conf = false;
  bool params_md = false;
};

constexpr int kAllLevels = 9;

void add_options(CLI::App& app, Options& options, std::vector<std::string>& param) {
  app.add_flag("-a,--all", options.view.everything, "all parameters, and more about components");
  app.add_option("-l,--level", options.view.level,
                 "parameters up to this level: 1 for everybody, 9 for developers; usually 3")
      ->check(CLI::Range(1, kAllLevels))
      ->type_name("N");
  app.add_option("--param", param, "only these parameters; \"all\" stands for any")
      ->type_name("FRAMEWORK COMPONENT")
      ->expected(2);
  app.add_flag("--json", options.json, "for programs: all of it as JSON");
  app.add_flag("--params-conf", options.params_conf, "a parameter file with every default as a comment");
  app.add_flag("--params-md", options.params_md, "all parameters as tables in Markdown");
  add_given_options(app, options.given);
}

/// --all and --param and JSON mean every level, unless one was named.
void settle(const CLI::App& app, Options& options, const std::vector<std::string>& param) {
  if (param.size() == 2) {
    options.view.framework = param[0];
    options.view.component = param[1];
  }
  bool all = options.view.everything || options.json || !param.empty();
  if (all && app.count("--level") == 0) options.view.level = kAllLevels;
}

/// Why --param shows nothing: the names that exist, and why a component is not among them.
std::string nothing_shown(const Findings& findings, const View& view) {
  std::vector<std::string> known;
  auto add = [&known](std::string name) {
    if (std::ranges::find(known, name) == known.end()) known.push_back(std::move(name));
  };
  for (const auto& param : findings.registry.list()) {
    add(fmt::format("{} {}", framework_of(param), param.component.empty() ? "base" : param.component));
  }
  std::string wanted = view.framework + " " + view.component;
  std::string text = fmt::format("no parameters of \"{}\"{} There are: {}.", wanted,
                                 mca::did_you_mean(wanted, known), fmt::join(known, ", "));
  for (const auto& plugin : findings.loader.plugins()) {
    bool refused = plugin.name == view.component && plugin.stage == loader::Stage::kRefused;
    if (refused) text += fmt::format(" {}: {}", plugin.path, plugin.reason);
  }
  return text;
}

std::string report(const Findings& findings, const Options& options) {
  if (options.params_conf) return mca::conf_text(findings.registry);
  if (options.params_md) return mca::markdown_text(findings.registry);
  if (options.json) return json_report(findings, options.view);
  return text_report(findings, options.view, terminal_width(), wants_colour());
}

int show(const Options& options) {
  Findings findings;
  gather(options.given, findings);
  std::string text = report(findings, options);
  bool narrowed = !options.view.framework.empty() && !options.params_conf && !options.params_md;
  if (narrowed && shown_params(findings, options.view).empty()) {
    findings.errors.push_back(nothing_shown(findings, options.view));
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  return tell(findings, "hawser info");
}

}  // namespace

int info_main(int argc, char** argv) {
  CLI::App app("Components and parameters: what there is, what is used, and why.", "hawser info");
  Options options;
  std::vector<std::string> param;
  add_options(app, options, param);
  try {
    app.parse(argc, argv);
    settle(app, options, param);
    return show(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "hawser info: {}\n", failure.what());
    return 1;
  }
}

}  // namespace hawser::tools
