// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "framework/btl/abi.hpp"
#include "framework/mca/print.hpp"
#include "framework/mca/sources.hpp"
#include "tools/common/terminal.hpp"
#include "tools/info/report.hpp"

namespace hawser::tools {

namespace {

std::string head_text(const Findings& findings, const Paint& paint) {
  std::string out =
      paint.bold("Hawser " HAWSER_VERSION) + fmt::format(", component interface {}.{}, built with {}\n",
                                                         btl::kAbiMajor, btl::kAbiMinor, HAWSER_TOOLCHAIN);
  out += fmt::format("  library   {}\n", mca::library_file());
  const char* label = "searched";
  for (const auto& folder : findings.loader.search_path()) {
    std::error_code ignored;
    bool there = std::filesystem::is_directory(folder, ignored);
    out += fmt::format("  {:<8}  {}{}\n", label, folder, there ? "" : paint.dim("  (not there)"));
    label = "";
  }
  return out;
}

std::string stage_text(const loader::PluginView& plugin, std::size_t width, const Paint& paint) {
  std::string text = padded(to_text(plugin.stage), width);
  if (plugin.stage == loader::Stage::kSelected) return paint.good(text);
  if (plugin.stage == loader::Stage::kRefused) return paint.bad(text);
  return paint.dim(text);
}

std::string component_texts(const Findings& findings, const View& view, const Paint& paint) {
  auto plugins = findings.loader.plugins();
  std::string out = fmt::format("\n{}\n", paint.bold("Components"));
  if (plugins.empty()) return out + "  none found\n";
  std::size_t name = widest(
      plugins, [](const auto& plugin) { return plugin.name; }, 4);
  std::size_t version = widest(
      plugins, [](const auto& plugin) { return plugin.version; }, 1);
  std::size_t stage = widest(
      plugins, [](const auto& plugin) { return to_text(plugin.stage); }, 8);
  std::string indent(2 + name + 2, ' ');
  for (const auto& plugin : plugins) {
    out += fmt::format("  {}  {}  {}  {}\n", paint.bold(padded(plugin.name, name)),
                       padded(plugin.version, version), stage_text(plugin, stage, paint), plugin.path);
    if (!plugin.reason.empty()) out += fmt::format("{}{}\n", indent, plugin.reason);
    if (view.everything && !plugin.toolchain.empty()) {
      out += fmt::format("{}{}\n", indent, paint.dim("built with " + plugin.toolchain));
    }
  }
  return out;
}

/// Name and value in columns, the source if it is not the default, and under it what it means.
std::string param_text(const mca::ParamView& param, std::size_t name, std::size_t value, std::size_t width,
                       const Paint& paint) {
  std::string shown = param.value.empty() ? "\"\"" : param.value;
  bool changed = param.source != mca::Source::kDefault;
  std::string out = fmt::format("  {}  {}  {}\n", paint.bold(padded(param.name, name)),
                                changed ? paint.good(padded(shown, value)) : padded(shown, value),
                                changed ? param.where : paint.dim("default"));
  const mca::ParamRow& row = *param.row;
  std::string words = fmt::format(
      "{} [{}; level {}{}]", row.help, mca::type_text(row), row.level,
      changed ? fmt::format("; default {}", *row.default_text ? row.default_text : "\"\"") : std::string());
  std::string lines = mca::wrapped(words, "      ", width);
  lines.pop_back();
  return out + paint.dim(lines) + "\n";
}

std::string param_texts(const Findings& findings, const View& view, std::size_t width, const Paint& paint) {
  auto params = shown_params(findings, view);
  std::string out;
  if (view.changed) {
    out += paint.bold("Parameters") + " that are not as by default\n";
  } else if (view.framework.empty()) {
    out += fmt::format("\n{}", paint.bold("Parameters"));
    out += view.level < 9
               ? fmt::format(" that are set, or up to level {} of 9 (all: hawser info --all)\n", view.level)
               : "\n";
  }
  constexpr std::size_t kWidestValue = 24;  // longer ones push their source to the right
  std::size_t name = widest(
      params, [](const auto& param) { return param.name; }, 4);
  std::size_t value = std::min(kWidestValue, widest(
                                                 params, [](const auto& param) { return param.value; }, 7));
  for (const auto& param : params) out += param_text(param, name, value, width, paint);
  return out;
}

bool matches(const mca::ParamView& param, const View& view) {
  if (view.framework.empty()) return true;
  bool framework = view.framework == "all" || view.framework == framework_of(param);
  bool component =
      view.component == "all" || view.component == (param.component.empty() ? "base" : param.component);
  return framework && component;
}

}  // namespace

std::vector<mca::ParamView> shown_params(const Findings& findings, const View& view) {
  std::vector<mca::ParamView> shown;
  for (const auto& group : mca::grouped(findings.registry)) {
    for (const auto& param : group.params) {
      // What somebody set is of interest whatever its level.
      const bool set = param.source != mca::Source::kDefault;
      const bool of_interest = set || (!view.changed && param.row->level <= view.level);
      if (of_interest && matches(param, view)) shown.push_back(param);
    }
  }
  return shown;
}

std::string diff_text(const Findings& findings, const View& view, std::size_t width, bool colour) {
  if (shown_params(findings, view).empty()) return "Every parameter has its default.\n";
  return param_texts(findings, view, width, Paint{colour});
}

std::string text_report(const Findings& findings, const View& view, std::size_t width, bool colour) {
  Paint paint{colour};
  std::string out;
  if (view.framework.empty()) out = head_text(findings, paint) + component_texts(findings, view, paint);
  return out + param_texts(findings, view, width, paint);
}

}  // namespace hawser::tools
