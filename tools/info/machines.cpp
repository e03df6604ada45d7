// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// `hawser info --machines`
#include "tools/info/machines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "framework/mca/print.hpp"
#include "tools/common/terminal.hpp"
#include "tools/info/told.hpp"

namespace hawser::tools {

namespace {

using Json = nlohmann::ordered_json;

std::span<const MachineWord> states(const MachineInfo& info) {
  return {info.states, info.state_count};
}
std::span<const MachineWord> events(const MachineInfo& info) {
  return {info.events, info.event_count};
}
std::span<const MachineEdge> edges(const MachineInfo& info) {
  return {info.edges, info.edge_count};
}

bool is_final(const MachineInfo& info, std::size_t state) {
  for (const MachineEdge& edge : edges(info)) {
    if (edge.from == state) return false;
  }
  return true;
}

/// The events that lead from one state to another, in the order of the table.
std::map<std::pair<unsigned, unsigned>, std::vector<std::string>> arrows(const MachineInfo& info) {
  std::map<std::pair<unsigned, unsigned>, std::vector<std::string>> all;
  for (const MachineEdge& edge : edges(info)) {
    all[{edge.from, edge.to}].emplace_back(info.events[edge.event].name);
  }
  return all;
}

std::string words_text(std::string_view title, std::span<const MachineWord> words, std::size_t width,
                       const Paint& paint) {
  const std::size_t name = widest(
      words, [](const MachineWord& word) { return word.name; }, 4);
  std::string out = fmt::format("  {}\n", paint.bold(title));
  for (const MachineWord& word : words) {
    const std::string lines = mca::wrapped(word.help, std::string(name + 6, ' '), width);
    out += fmt::format("    {}{}", padded(word.name, name), lines.substr(name + 4));
  }
  return out;
}

std::string edges_text(const MachineInfo& info, const Paint& paint) {
  const auto name = [](const MachineWord& word) { return word.name; };
  const std::size_t from = widest(states(info), name, 4);
  const std::size_t event = widest(events(info), name, 4);
  std::string out = fmt::format("  {}\n", paint.bold("edges"));
  for (const MachineEdge& edge : edges(info)) {
    out += fmt::format("    {}  {}  {}\n", padded(info.states[edge.from].name, from),
                       padded(fmt::format("on {}", info.events[edge.event].name), event + 3),
                       info.states[edge.to].name);
  }
  return out;
}

std::string words_md(std::string_view title, std::span<const MachineWord> words) {
  std::string out = fmt::format("\n| {} | means |\n|---|---|\n", title);
  for (const MachineWord& word : words) out += fmt::format("| {} | {} |\n", word.name, word.help);
  return out;
}

std::string diagram(const MachineInfo& info) {
  std::string out = "\n```mermaid\nstateDiagram-v2\n";
  for (std::size_t i = 0; i < info.state_count; ++i) {
    out += fmt::format("  s{} : {}\n", i, info.states[i].name);
  }
  out += "  [*] --> s0\n";
  for (const auto& [ends, names] : arrows(info)) {
    out += fmt::format("  s{} --> s{} : {}\n", ends.first, ends.second, fmt::join(names, ", "));
  }
  for (std::size_t i = 0; i < info.state_count; ++i) {
    if (is_final(info, i)) out += fmt::format("  s{} --> [*]\n", i);
  }
  return out + "```\n";
}

Json words_json(std::span<const MachineWord> words) {
  Json all = Json::array();
  for (const MachineWord& word : words) all.push_back({{"name", word.name}, {"help", word.help}});
  return all;
}

}  // namespace

std::vector<Machine> find_machines(Findings& findings) {
  std::vector<Machine> machines;
  for (const Teller& teller : tellers(findings)) {
    for (const MachineInfo& info : teller.told.machines) machines.push_back({teller.owner, &info});
  }
  return machines;
}

std::string machines_text(const std::vector<Machine>& machines, std::size_t width, bool colour) {
  const Paint paint{colour};
  std::string out;
  for (const Machine& machine : machines) {
    const MachineInfo& info = *machine.info;
    out += fmt::format("{}{}  ({})\n", out.empty() ? "" : "\n", paint.bold(info.name), machine.owner);
    out += mca::wrapped(info.help, "  ", width);
    out +=
        words_text("states", states(info), width, paint) + words_text("events", events(info), width, paint);
    out += edges_text(info, paint);
  }
  return out;
}

std::string machines_dot(const std::vector<Machine>& machines) {
  std::string out;
  for (const Machine& machine : machines) {
    const MachineInfo& info = *machine.info;
    out += fmt::format("digraph \"{}\" {{\n  label=\"{}\";\n  node [shape=box, style=rounded];\n", info.name,
                       info.name);
    for (std::size_t i = 0; i < info.state_count; ++i) {
      out += fmt::format("  s{} [label=\"{}\"{}];\n", i, info.states[i].name,
                         i == 0              ? ", style=\"rounded,bold\""
                         : is_final(info, i) ? ", peripheries=2"
                                             : "");
    }
    for (const auto& [ends, names] : arrows(info)) {
      out += fmt::format("  s{} -> s{} [label=\"{}\"];\n", ends.first, ends.second, fmt::join(names, "\\n"));
    }
    out += "}\n";
  }
  return out;
}

std::string machines_md(const std::vector<Machine>& machines) {
  std::string out =
      "# State machines\n\n"
      "Written by `hawser info --machines-md` from the tables that the code runs on. As text, and for "
      "Graphviz:\n"
      "`hawser info --machines`, `hawser info --machines --dot`.\n";
  for (const Machine& machine : machines) {
    const MachineInfo& info = *machine.info;
    out +=
        fmt::format("\n## {}\n\n{} Of {}; {} edges.\n", info.name, info.help, machine.owner, info.edge_count);
    out += diagram(info) + words_md("state", states(info)) + words_md("event", events(info));
  }
  return out;
}

Json machines_json(const std::vector<Machine>& machines) {
  Json all = Json::array();
  for (const Machine& machine : machines) {
    const MachineInfo& info = *machine.info;
    Json rows = Json::array();
    for (const MachineEdge& edge : edges(info)) {
      rows.push_back({{"from", info.states[edge.from].name},
                      {"event", info.events[edge.event].name},
                      {"to", info.states[edge.to].name}});
    }
    all.push_back({{"name", info.name},
                   {"owner", machine.owner},
                   {"help", info.help},
                   {"states", words_json(states(info))},
                   {"events", words_json(events(info))},
                   {"edges", rows}});
  }
  return all;
}

}  // namespace hawser::tools
