// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/info/info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "framework/mca/nearest.hpp"
#include "framework/mca/print.hpp"
#include "tools/common/gather.hpp"
#include "tools/common/terminal.hpp"
#include "tools/info/counters.hpp"
#include "tools/info/machines.hpp"
#include "tools/info/report.hpp"
#include "tools/info/why.hpp"

namespace hawser::tools {

namespace {

struct Options {
  Given given;
  View view;
  bool json = false;
  bool params_conf = false;
  bool params_md = false;
  bool why = false;
  bool counters = false;
  bool counters_md = false;
  bool machines = false;
  bool machines_md = false;
  bool dot = false;
};

constexpr int kAllLevels = 9;

/// What is shown instead of components and parameters; one of them.
void add_parts(CLI::App& app, Options& options) {
  auto* parts = app.add_option_group("Instead of all that, one of");
  parts->add_flag(
      "--why", options.why,
      "for each component and each network interface: whether it is used, why, and which parameter "
      "decided that");
  parts->add_flag("--diff", options.view.changed,
                  "the parameters that are not as by default, and who set them");
  parts->add_flag("--counters", options.counters, "what is counted: scope, unit, meaning");
  auto* machines = parts->add_flag("--machines", options.machines, "the state machines, edge by edge");
  parts->add_flag("--params-conf", options.params_conf, "a parameter file with every default as a comment");
  parts->add_flag("--params-md", options.params_md, "all parameters as tables in Markdown");
  parts->add_flag("--counters-md", options.counters_md, "all counters as tables in Markdown");
  parts->add_flag("--machines-md", options.machines_md,
                  "all state machines as diagrams and tables in Markdown");
  parts->require_option(0, 1);
  app.add_flag("--dot", options.dot, "with --machines: for Graphviz (dot -Tsvg)")->needs(machines);
}

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
  add_parts(app, options);
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

std::string machines_report(Findings& findings, const Options& options) {
  const auto machines = find_machines(findings);
  if (options.machines_md) return machines_md(machines);
  if (options.dot) return machines_dot(machines);
  if (options.json) return part_json(findings, "machines", machines_json(machines));
  return machines_text(machines, terminal_width(), wants_colour());
}

std::string counters_report(Findings& findings, const Options& options) {
  const auto all = tellers(findings);
  if (options.counters_md) return counters_md(all);
  if (options.json) return part_json(findings, "counters", counters_json(all));
  return counters_text(all, terminal_width(), wants_colour());
}

std::string why_report(Findings& findings, const Options& options) {
  const Why why = look_why(findings);
  return options.json ? part_json(findings, "why", why_json(why))
                      : why_text(why, terminal_width(), wants_colour());
}

std::string report(Findings& findings, const Options& options) {
  if (options.params_conf) return mca::conf_text(findings.registry);
  if (options.params_md) return mca::markdown_text(findings.registry);
  if (options.machines || options.machines_md) return machines_report(findings, options);
  if (options.counters || options.counters_md) return counters_report(findings, options);
  if (options.why) return why_report(findings, options);
  if (options.view.changed) {
    return options.json ? part_json(findings, "parameters", params_json(findings, options.view))
                        : diff_text(findings, options.view, terminal_width(), wants_colour());
  }
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
