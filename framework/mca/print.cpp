// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/mca/print.hpp"

#include <map>
#include <utility>

#include "framework/mca/value.hpp"

namespace hawser::mca {

namespace {

constexpr std::size_t kWidth = 100;

constexpr const char* kConfHead =
    "# SPDX-FileCopyrightText: 2026 The Hawser authors\n"
    "# SPDX-License-Identifier: Apache-2.0\n"
    "# Parameters of Hawser with their defaults. Written by `hawser info --params-conf`.\n"
    "#\n"
    "# To change one, take the \"#\" before its name away and write the new value. The installation reads\n"
    "# etc/hawser/mca-params.conf, each user has ~/.hawser/mca-params.conf, and `hawser run --tune FILE` "
    "takes any\n"
    "# other file. The environment (HAWSER_MCA_name) and `hawser run --mca name value` are stronger than "
    "files.\n"
    "#\n"
    "# Sizes take k, m and g (1k is 1024 bytes); times take ns, us, ms, s and min.\n";

std::string value_text(const char* text) {
  return *text ? fmt::format(" {}", text) : std::string();
}

void add_block(std::string& out, const ParamView& param) {
  const ParamRow& row = *param.row;
  out += '\n';
  out += wrapped(row.help, "# ", kWidth);
  out += fmt::format("# {}; level {}\n", type_text(row), row.level);
  out += fmt::format("#{} ={}\n", param.name, value_text(row.default_text));
}

/// A cell of a Markdown table holds no bar and no line end.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::vector<ParamGroup> grouped(const Registry& registry) {
  std::map<std::pair<std::string, std::string>, ParamGroup> groups;
  for (auto& param : registry.list()) {
    auto& group = groups[{param.framework, param.component}];
    if (group.title.empty()) {
      group.title = param.framework.empty() ? "general" : param.framework;
      if (!param.component.empty()) group.title += " " + param.component;
    }
    group.params.push_back(std::move(param));
  }
  std::vector<ParamGroup> out;
  out.reserve(groups.size());
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  return out;
}

std::string type_text(const ParamRow& row) {
  bool plain = row.type == ParamType::kBool || row.type == ParamType::kString;
  if (plain) return to_text(row.type);
  if (row.type == ParamType::kChoice) return allowed_text(row);
  return fmt::format("{}, {}", to_text(row.type), allowed_text(row));
}

std::string conf_text(const Registry& registry) {
  std::string out = kConfHead;
  for (const auto& group : grouped(registry)) {
    out += fmt::format("\n\n# ---- {} ----\n", group.title);
    for (const auto& param : group.params) add_block(out, param);
  }
  return out;
}

std::string markdown_text(const Registry& registry) {
  std::string out = "# Parameters\n";
  for (const auto& group : grouped(registry)) {
    out += fmt::format(
        "\n## {}\n\n| name | type and range | default | level | what it does |\n|---|---|---|---|---|\n",
        group.title);
    for (const auto& param : group.params) {
      const ParamRow& row = *param.row;
      std::string value =
          *row.default_text ? fmt::format("`{}`", cell(row.default_text)) : std::string("(empty)");
      out += fmt::format("| `{}` | {} | {} | {} | {} |\n", param.name, cell(type_text(row)), value, row.level,
                         cell(row.help));
    }
  }
  return out;
}

std::string wrapped(std::string_view words, const std::string& indent, std::size_t width) {
  std::string out;
  std::string line;
  while (!words.empty()) {
    std::size_t end = words.find(' ');
    std::string_view word = words.substr(0, end);
    words = end == std::string_view::npos ? std::string_view{} : words.substr(end + 1);
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > width) {
      out += indent + line + '\n';
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  return out + indent + line + '\n';
}

}  // namespace hawser::mca
