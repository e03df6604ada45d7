// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Two panels, both axes logarithmic: half round trips, and bandwidth; one line a transport, an earlier run
// dashed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "tools/common/svg_text.hpp"
#include "tools/perf/results.hpp"

namespace hawser::tools {

namespace {

// Told apart without red and green.
constexpr const char* kColours[] = {"#0b6bcb", "#b35900", "#7b3fa0", "#006d77", "#a8326e", "#5a5a5a"};
constexpr double kWidth = 560, kHeight = 380, kLeft = 74, kTop = 96, kGap = 96, kBottom = 66;

using Value = std::function<double(const PerfPoint&)>;  // 0: not measured

struct Axis {
  double low = 1e300, high = 0, base = 10;

  void take(double value) {
    if (value > 0) low = std::min(low, value), high = std::max(high, value);
  }
  /// To whole powers of the base.
  void round() {
    if (high == 0) low = high = 1;
    low = std::pow(base, std::floor(std::log(low) / std::log(base) + 1e-9));
    high = std::max(low * base, std::pow(base, std::ceil(std::log(high) / std::log(base) - 1e-9)));
  }
  double place(double value) const { return std::log(value / low) / std::log(high / low); }
};

struct Panel {
  double x;
  std::string title;
  Value value;
  Axis sizes{.base = 2}, values{};

  double at_x(double size) const { return x + kWidth * sizes.place(size); }
  double at_y(double v) const { return kTop + kHeight * (1 - values.place(v)); }
};

std::string value_words(double value) {
  return value >= 1 ? fmt::format("{:.0f}", value) : fmt::format("{:g}", value);
}

std::string frame(const Panel& panel) {
  std::string out =
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"panel\"/>\n",
                  panel.x, kTop, kWidth, kHeight);
  out += svg_text_at(panel.x, kTop - 14, "title", panel.title);
  for (double size = panel.sizes.low; size <= panel.sizes.high * 1.001; size *= 16) {
    const double x = panel.at_x(size);
    out += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" class=\"grid\"/>\n", x, kTop, kTop + kHeight);
    out += svg_text_at(x, kTop + kHeight + 20, "mark middle",
                       size_words(static_cast<std::uint64_t>(std::llround(size))));
  }
  for (double value = panel.values.low; value <= panel.values.high * 1.001; value *= 10) {
    const double y = panel.at_y(value);
    out +=
        fmt::format("<path d=\"M{0:.1f} {1:.1f}H{2:.1f}\" class=\"grid\"/>\n", panel.x, y, panel.x + kWidth);
    out += svg_text_at(panel.x - 8, y + 4, "mark end", value_words(value));
  }
  return out;
}

std::string curve(const Panel& panel, const PerfSeries& series, const char* colour, bool earlier) {
  std::string path, dots;
  for (const PerfPoint& point : series.points) {
    const double value = panel.value(point);
    if (value <= 0) continue;
    const double x = panel.at_x(static_cast<double>(point.size)), y = panel.at_y(value);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    if (earlier) continue;
    dots += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}: {}, {}</title></circle>\n", x, y,
        colour, svg_escaped(series.transport), size_words(point.size), value_words(value));
  }
  if (path.empty()) return "";
  return fmt::format("<path d=\"{}\" class=\"{}\" stroke=\"{}\"/>\n", path, earlier ? "line before" : "line",
                     colour) +
         dots;
}

void measure_axes(Panel& panel, const PerfRun& run) {
  for (const PerfSeries& series : run.series) {
    for (const PerfPoint& point : series.points) {
      if (panel.value(point) <= 0) continue;
      panel.sizes.take(static_cast<double>(point.size));
      panel.values.take(panel.value(point));
    }
  }
}

/// Transports of both runs, in order; a transport has one colour.
std::vector<std::string> names_of(const PerfRun& run, const PerfRun* earlier) {
  std::vector<std::string> names;
  for (const PerfRun* of : {&run, earlier}) {
    if (!of) continue;
    for (const PerfSeries& series : of->series) {
      if (std::ranges::count(names, series.transport) == 0) names.push_back(series.transport);
    }
  }
  return names;
}

const char* colour_of(const std::vector<std::string>& names, const std::string& transport) {
  const auto at = static_cast<std::size_t>(std::ranges::find(names, transport) - names.begin());
  return kColours[at % std::size(kColours)];
}

std::string legend(const PerfRun& run, const PerfRun* earlier, const std::vector<std::string>& names) {
  std::string out;
  double x = kLeft;
  const double y = 58;
  const auto entry = [&](const std::string& words, const char* colour, bool before) {
    out += fmt::format("<path d=\"M{:.1f} {:.1f}h34\" class=\"{}\" stroke=\"{}\"/>\n", x, y - 4,
                       before ? "line before" : "line", colour);
    out += svg_text_at(x + 42, y, "legend", words);
    x += 66 + 7.2 * static_cast<double>(words.size());
  };
  for (const PerfSeries& series : run.series)
    entry(series.transport, colour_of(names, series.transport), false);
  if (!earlier) return out;
  for (const PerfSeries& series : earlier->series)
    entry(fmt::format("{}, {} level, {}", series.transport, earlier->level, earlier->date),
          colour_of(names, series.transport), true);
  return out;
}

constexpr const char* kStyle = R"(.head { font-size: 17px; font-weight: bold; }
.title { font-size: 14px; font-weight: bold; }
.mark { font-size: 12px; fill: #44526b; }
.middle { text-anchor: middle; }
.panel { fill: #ffffff; stroke: #c3ccd6; }
.grid { stroke: #dde4ea; stroke-width: 1; }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
.before { stroke-dasharray: 6 5; stroke-width: 1.6; }
)";

}  // namespace

std::string perf_svg(const PerfRun& run, const PerfRun* earlier) {
  Panel panels[] = {
      {kLeft, "half round trip, us (median)",
       [](const PerfPoint& p) { return p.latency ? p.latency->p50 : 0; }},
      {kLeft + kWidth + kGap, "one way, MB/s", [](const PerfPoint& p) { return p.bandwidth(); }}};
  const auto names = names_of(run, earlier);
  std::string body;
  for (Panel& panel : panels) {
    measure_axes(panel, run);
    if (earlier) measure_axes(panel, *earlier);
    panel.sizes.round(), panel.values.round();
    body += frame(panel);
    if (earlier) {
      for (const PerfSeries& s : earlier->series)
        body += curve(panel, s, colour_of(names, s.transport), true);
    }
    for (const PerfSeries& s : run.series) body += curve(panel, s, colour_of(names, s.transport), false);
  }
  const std::string title = fmt::format("Messages by size, {} level, {}, {}", run.level, run.host, run.date);
  return svg_document(kLeft + 2 * kWidth + kGap + 30, kTop + kHeight + kBottom, title, kStyle,
                      svg_text_at(kLeft, 32, "head", title) + legend(run, earlier, names) + body);
}

}  // namespace hawser::tools
