// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "framework/btl/abi.hpp"
#include "framework/mca/sources.hpp"
#include "framework/mca/value.hpp"
#include "tools/info/report.hpp"

namespace hawser::tools {

namespace {

using Json = nlohmann::ordered_json;

Json component(const loader::PluginView& plugin) {
  return {{"name", plugin.name},
          {"path", plugin.path},
          {"version", plugin.version},
          {"toolchain", plugin.toolchain},
          {"stage", to_text(plugin.stage)},
          {"reason", plugin.reason}};
}

Json parameter(const mca::ParamView& param) {
  const mca::ParamRow& row = *param.row;
  return {{"name", param.name},
          {"framework", framework_of(param)},
          {"component", param.component},
          {"value", param.value},
          {"source", to_text(param.source)},
          {"where", param.where},
          {"default", row.default_text},
          {"type", mca::to_text(row.type)},
          {"allowed", mca::allowed_text(row)},
          {"unit", row.unit},
          {"level", row.level},
          {"help", row.help}};
}

/// Values may hold any byte.
std::string dumped(const Json& report) {
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Json params_json(const Findings& findings, const View& view) {
  Json all = Json::array();
  for (const auto& param : shown_params(findings, view)) all.push_back(parameter(param));
  return all;
}

std::string part_json(const Findings& findings, const char* name, Json part) {
  return dumped({{name, std::move(part)}, {"notes", findings.notes}, {"errors", findings.errors}});
}

std::string json_report(const Findings& findings, const View& view) {
  Json report;
  report["version"] = HAWSER_VERSION;
  report["component_interface"] = {{"major", btl::kAbiMajor}, {"minor", btl::kAbiMinor}};
  report["library"] = mca::library_file();
  report["search_path"] = findings.loader.search_path();
  report["components"] = Json::array();
  for (const auto& plugin : findings.loader.plugins()) report["components"].push_back(component(plugin));
  report["parameters"] = params_json(findings, view);
  report["notes"] = findings.notes;
  report["errors"] = findings.errors;
  return dumped(report);
}

}  // namespace hawser::tools
