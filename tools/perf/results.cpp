// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/perf/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace hawser::tools {

namespace {

using nlohmann::ordered_json;

constexpr const char* kFormat = "hawser-perf-1";

ordered_json to_json(const PerfPoint& point) {
  ordered_json out{{"size", point.size}};
  if (point.latency) {
    const PerfLatency& l = *point.latency;
    out["latency_us"] = {{"min", l.least}, {"p50", l.p50},   {"p90", l.p90},         {"p99", l.p99},
                         {"max", l.most},  {"mean", l.mean}, {"samples", l.samples}, {"batch", l.batch}};
  }
  if (point.rate) {
    out["messages_per_s"] = *point.rate;
    out["mb_per_s"] = point.bandwidth();
  }
  return out;
}

PerfPoint point_of(const ordered_json& in) {
  PerfPoint point;
  point.size = in.at("size").get<std::uint64_t>();
  if (in.contains("latency_us")) {
    const auto& l = in.at("latency_us");
    point.latency = PerfLatency{l.at("min"), l.at("p50"),  l.at("p90"),     l.at("p99"),
                                l.at("max"), l.at("mean"), l.at("samples"), l.at("batch")};
  }
  if (in.contains("messages_per_s")) point.rate = in.at("messages_per_s").get<double>();
  return point;
}

PerfRun run_of(const ordered_json& in) {
  PerfRun run{in.at("level"), in.at("host"), in.at("date"), {}};
  for (const auto& series : in.at("transports")) {
    run.series.push_back({series.at("name"), {}});
    for (const auto& point : series.at("points")) run.series.back().points.push_back(point_of(point));
  }
  return run;
}

}  // namespace

const PerfPoint* PerfSeries::at(std::uint64_t size) const {
  const auto found = std::ranges::find(points, size, &PerfPoint::size);
  return found == points.end() ? nullptr : &*found;
}

const PerfSeries* PerfRun::find(const std::string& transport) const {
  const auto found = std::ranges::find(series, transport, &PerfSeries::transport);
  return found == series.end() ? nullptr : &*found;
}

std::string point_json(const PerfPoint& point) {
  return to_json(point).dump();
}

std::optional<PerfPoint> point_from_json(const std::string& line) {
  try {
    return point_of(ordered_json::parse(line));
  } catch (const ordered_json::exception&) {
    return std::nullopt;
  }
}

std::string run_json(const PerfRun& run) {
  ordered_json out{{"format", kFormat},
                   {"version", HAWSER_VERSION},
                   {"level", run.level},
                   {"host", run.host},
                   {"date", run.date}};
  out["transports"] = ordered_json::array();
  for (const PerfSeries& series : run.series) {
    ordered_json points = ordered_json::array();
    for (const PerfPoint& point : series.points) points.push_back(to_json(point));
    out["transports"].push_back({{"name", series.transport}, {"points", std::move(points)}});
  }
  return out.dump(1) + "\n";
}

Result<PerfRun> read_run(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return system_error("reading " + file, errno);
  try {
    const auto json = ordered_json::parse(text.str());
    if (json.at("format") == kFormat) return run_of(json);
  } catch (const ordered_json::exception&) {
  }
  return Error{Errc::kInvalid, 0,
               file + " is not what `hawser perf --json` writes (format \"" + kFormat + "\")"};
}

std::string size_words(std::uint64_t size) {
  if (size >= 1 << 20 && size % (1 << 20) == 0) return fmt::format("{} MiB", size >> 20);
  if (size >= 1 << 10 && size % (1 << 10) == 0) return fmt::format("{} KiB", size >> 10);
  return fmt::format("{} B", size);
}

}  // namespace hawser::tools
