// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tools/perf/results.hpp"

namespace hawser::tools {

namespace {

/// Three digits that tell something.
std::string number(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

std::string rate_words(double rate) {
  if (rate >= 1e6) return number(rate / 1e6) + " M";
  return rate >= 1e3 ? number(rate / 1e3) + " k" : number(rate);
}

/// "1.20 x", or nothing to compare with.
std::string times(double now, double before) {
  return before > 0 ? number(now / before) + " x" : "";
}

std::string line(const PerfPoint& point, const PerfPoint* before) {
  std::string out = fmt::format("{:>9}", size_words(point.size));
  if (point.latency) {
    const PerfLatency& l = *point.latency;
    for (const double value : {l.least, l.p50, l.p90, l.p99}) out += fmt::format("  {:>8}", number(value));
    if (before) out += fmt::format("  {:>8}", before->latency ? times(l.p50, before->latency->p50) : "");
  }
  if (point.rate) {
    out += fmt::format("  {:>10}  {:>8}", rate_words(*point.rate), number(point.bandwidth()));
    if (before) out += fmt::format("  {:>8}", times(*point.rate, before->rate.value_or(0)));
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string heading(const PerfPoint& point, bool compared) {
  std::string out = fmt::format("{:>9}", "size");
  if (point.latency) {
    for (const char* word : {"min us", "p50", "p90", "p99"}) out += fmt::format("  {:>8}", word);
    if (compared) out += fmt::format("  {:>8}", "p50 is");
  }
  if (point.rate) {
    out += fmt::format("  {:>10}  {:>8}", "messages/s", "MB/s");
    if (compared) out += fmt::format("  {:>8}", "rate is");
  }
  return out + "\n";
}

}  // namespace

std::string perf_text(const PerfRun& run, const PerfRun* earlier) {
  std::string out;
  for (const PerfSeries& series : run.series) {
    const PerfSeries* before = earlier ? earlier->find(series.transport) : nullptr;
    out += fmt::format("{}{}, {} level: half round trips; messages one way\n", out.empty() ? "" : "\n",
                       series.transport, run.level);
    if (before)
      out += fmt::format("beside the {} level on {}, {}\n", earlier->level, earlier->host, earlier->date);
    if (earlier && !before) out += "the earlier run did not measure this transport\n";
    if (series.points.empty()) continue;
    out += heading(series.points.front(), before != nullptr);
    static const PerfPoint kNone;
    for (const PerfPoint& point : series.points) {
      const PerfPoint* old = before ? before->at(point.size) : nullptr;
      out += line(point, old ? old : before ? &kNone : nullptr);
    }
  }
  return out;
}

}  // namespace hawser::tools
