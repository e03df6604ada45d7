// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What was measured, as it is kept, written and read again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/base/result.hpp"

namespace hawser::tools {

/// Half round trips, us. A sample is the mean of `batch` round trips: one alone is shorter than a look at the
/// clock.
struct PerfLatency {
  double least = 0, p50 = 0, p90 = 0, p99 = 0, most = 0, mean = 0;
  std::uint64_t samples = 0;
  std::uint64_t batch = 1;
};

struct PerfPoint {
  std::uint64_t size = 0;  // bytes
  std::optional<PerfLatency> latency;
  std::optional<double> rate;  // messages a second, one way, many under way

  /// MB/s (10^6 bytes).
  double bandwidth() const { return rate.value_or(0) * static_cast<double>(size) / 1e6; }
};

struct PerfSeries {
  std::string transport;
  std::vector<PerfPoint> points;  // sizes grow

  const PerfPoint* at(std::uint64_t size) const;
};

struct PerfRun {
  std::string level;  // btl, bml, mpi
  std::string host;
  std::string date;  // UTC
  std::vector<PerfSeries> series;

  const PerfSeries* find(const std::string& transport) const;
};

/// One line, for the pipe between a rank and the command.
std::string point_json(const PerfPoint& point);
std::optional<PerfPoint> point_from_json(const std::string& line);

std::string run_json(const PerfRun& run);
/// An error names the file and what is wrong with it.
Result<PerfRun> read_run(const std::string& file);

/// "64 KiB".
std::string size_words(std::uint64_t size);

/// `earlier`: another run to set beside it, or null.
std::string perf_text(const PerfRun& run, const PerfRun* earlier);
std::string perf_svg(const PerfRun& run, const PerfRun* earlier);

}  // namespace hawser::tools
