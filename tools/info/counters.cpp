// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// `hawser info --counters`
#include "tools/info/counters.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "framework/mca/print.hpp"
#include "tools/common/terminal.hpp"

namespace hawser::tools {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string counters_text(const std::vector<Teller>& tellers, std::size_t width, bool colour) {
  const Paint paint{colour};
  std::string out;
  for (const Teller& teller : tellers) {
    if (teller.told.counters.empty()) continue;
    out +=
        fmt::format("{}{}, for each {}\n", out.empty() ? "" : "\n", paint.bold(teller.owner), teller.scope);
    const std::size_t name = widest(
        teller.told.counters, [](const CounterInfo& info) { return info.name; }, 18);
    const std::size_t unit = widest(
        teller.told.counters, [](const CounterInfo& info) { return info.unit; }, 11);
    for (const CounterInfo& info : teller.told.counters) {
      const std::string lines = mca::wrapped(info.help, std::string(name + unit + 6, ' '), width);
      out += fmt::format("  {}  {}{}", paint.bold(padded(info.name, name)), padded(info.unit, unit),
                         lines.substr(name + unit + 4));
    }
  }
  return out;
}

std::string counters_md(const std::vector<Teller>& tellers) {
  std::string out =
      "# Counters\n\n"
      "Written by `hawser info --counters-md`. All are always on. When a job ends, `hawser run --mca "
      "hawser_stats 1` prints a\n"
      "table of the rails and the sums of what else is not zero. What components sent, refused and read "
      "stands "
      "in the\n"
      "table alone, as the rails counted it; with `--mca hawser_stats_format lines` every counter of every "
      "module is\n"
      "printed. `hawser top` shows the counters of the rails while the job runs.\n\n"
      "Each rank hands its part of the table on when all that it sent has gone out, before the last meeting "
      "of "
      "the ranks.\n"
      "What it still answers others until then (acknowledgements, say) is not in the table; the lines are "
      "written after\n"
      "that meeting, and have it.\n";
  for (const Teller& teller : tellers) {
    if (teller.told.counters.empty()) continue;
    out += fmt::format("\n## {}\n\nOne for each {}.\n\n| name | unit | what is counted |\n|---|---|---|\n",
                       teller.owner, teller.scope);
    for (const CounterInfo& info : teller.told.counters) {
      out += fmt::format("| `{}` | {} | {} |\n", info.name, info.unit, info.help);
    }
  }
  return out;
}

Json counters_json(const std::vector<Teller>& tellers) {
  Json all = Json::array();
  for (const Teller& teller : tellers) {
    for (const CounterInfo& info : teller.told.counters) {
      all.push_back({{"name", info.name},
                     {"owner", teller.owner},
                     {"scope", teller.scope},
                     {"unit", info.unit},
                     {"help", info.help}});
    }
  }
  return all;
}

}  // namespace hawser::tools
