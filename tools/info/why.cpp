// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// `hawser info --why`
#include "tools/info/why.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "framework/mca/print.hpp"
#include "framework/mca/value.hpp"
#include "tools/common/terminal.hpp"
#include "tools/topo/look.hpp"
#include "tools/topo/report.hpp"

namespace hawser::tools {

namespace {

using Json = nlohmann::ordered_json;
using loader::Stage;

std::string shown(const mca::ParamView& param) {
  return fmt::format("{} = {} ({})", param.name, param.value.empty() ? "\"\"" : param.value,
                     param.source == mca::Source::kDefault ? "default" : param.where);
}

/// The list of components names it, or leaves it in.
std::string why_selected(const mca::ParamView* list) {
  if (!list || list->value.empty()) return "every component that can be used is, as btl names none";
  const bool excludes = mca::trim(list->value).starts_with('^');
  return fmt::format("{} {}", excludes ? "not excluded by" : "named by", shown(*list));
}

Verdict verdict_on(const loader::PluginView& plugin, const mca::Registry& registry) {
  Verdict verdict{plugin.name, plugin.path, plugin.stage == Stage::kSelected, plugin.reason, nullptr};
  switch (plugin.stage) {
    case Stage::kSelected:
      verdict.reason = why_selected(registry.find("btl"));
      [[fallthrough]];
    case Stage::kExcluded:
      verdict.decided = registry.find("btl");
      break;
    case Stage::kShadowed:
      verdict.decided = registry.find("mca_component_path");
      break;
    default:
      break;
  }
  if (verdict.reason.empty()) verdict.reason = to_text(plugin.stage);
  return verdict;
}

/// The parameter of tcp that a reason names.
const mca::ParamView* named_in(std::string_view reason, const mca::Registry& registry) {
  for (const char* name : kTopoParams) {
    if (reason.find(name) != std::string_view::npos) return registry.find(name);
  }
  return nullptr;
}

/// Of an address that is used: by which list.
void tell_used(Verdict& verdict, const TopoNic& nic, const mca::Registry& registry) {
  for (const char* name : {"btl_tcp_if_include", "btl_tcp_if_exclude"}) {
    const mca::ParamView* list = registry.find(name);
    if (!list || mca::trim(list->value).empty()) continue;
    verdict.decided = list;
    const bool include = std::string_view(name).ends_with("include");
    verdict.reason = fmt::format("{} {}", include ? "in" : "not in", shown(*list));
  }
  if (verdict.reason.empty()) verdict.reason = "no list leaves it out";
  if ((nic.properties & interfaces::kLoopback) != 0) verdict.reason += "; within this node only";
  const std::uint32_t against = penalties(nic);
  if (against != 0) {
    verdict.reason += "; only if nothing better leads there: " + interfaces::describe_properties(against);
  }
}

/// Why tcp as a whole is not there to use any interface; empty: it is.
const Verdict* tcp_is_out(const std::vector<Verdict>& components) {
  for (const Verdict& one : components) {
    if (one.name == "tcp" && one.used) return nullptr;
  }
  for (const Verdict& one : components) {
    if (one.name == "tcp") return &one;
  }
  return nullptr;
}

std::vector<Verdict> verdicts_on(const TopoNic& nic, const Verdict* tcp, const mca::Registry& registry) {
  std::vector<Verdict> all;
  if (nic.addresses.empty()) {
    all.push_back({clean(nic.name), "", false, nic.up ? "has no address" : "is down", nullptr});
  }
  for (const TopoAddress& address : nic.addresses) {
    const std::string text = fmt::format("{}/{}", address.interface.address.text(), address.interface.prefix);
    Verdict one{clean(nic.name), text, address.used() && !tcp, clean(address.why_not), nullptr};
    if (tcp) {
      one.reason = "tcp is not used: " + tcp->reason;
      one.decided = tcp->decided;
    } else if (one.used) {
      tell_used(one, nic, registry);
    } else {
      one.decided = named_in(one.reason, registry);
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::string table(const std::vector<Verdict>& rows, std::size_t width, const Paint& paint) {
  if (rows.empty()) return "  none\n";
  const std::size_t name = widest(
      rows, [](const Verdict& one) { return one.name; }, 4);
  std::string out;
  for (const Verdict& one : rows) {
    const std::string word = padded(one.used ? "used" : "not used", 8);
    out += fmt::format("  {}  {}  {}\n", paint.bold(padded(one.name, name)),
                       one.used ? paint.good(word) : paint.dim(word), one.what);
    out += mca::wrapped(one.reason, std::string(name + 4, ' '), width);
  }
  return out;
}

Json row(const Verdict& verdict, const char* what) {
  Json decided = nullptr;
  if (const mca::ParamView* param = verdict.decided) {
    decided = {{"name", param->name},
               {"value", param->value},
               {"source", to_text(param->source)},
               {"where", param->where}};
  }
  return {{"name", verdict.name},
          {what, verdict.what},
          {"used", verdict.used},
          {"reason", verdict.reason},
          {"parameter", decided}};
}

}  // namespace

Why look_why(Findings& findings) {
  Why why;
  for (const auto& plugin : findings.loader.plugins()) {
    why.components.push_back(verdict_on(plugin, findings.registry));
  }
  const Verdict* tcp = tcp_is_out(why.components);
  const std::size_t notes = findings.notes.size();
  const TopoHost host = look_here(findings);
  if (tcp) findings.notes.resize(notes);  // said below, for each interface
  for (const TopoNic& nic : host.nics) {
    for (Verdict& one : verdicts_on(nic, tcp, findings.registry)) why.interfaces.push_back(std::move(one));
  }
  return why;
}

std::string why_text(const Why& why, std::size_t width, bool colour) {
  const Paint paint{colour};
  return paint.bold("Components") + "\n" + table(why.components, width, paint) + "\n" +
         paint.bold("Interfaces") + ", as tcp sees them\n" + table(why.interfaces, width, paint);
}

Json why_json(const Why& why) {
  Json report;
  report["components"] = Json::array();
  for (const Verdict& one : why.components) report["components"].push_back(row(one, "path"));
  report["interfaces"] = Json::array();
  for (const Verdict& one : why.interfaces) report["interfaces"].push_back(row(one, "address"));
  return report;
}

}  // namespace hawser::tools
