// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What the two ranks do. Rank 0 has the clock; rank 1 follows what it says.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "tools/perf/active.hpp"
#include "tools/perf/level.hpp"
#include "tools/perf/options.hpp"
#include "tools/perf/results.hpp"

namespace hawser::tools {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSample = 4e-6;  // seconds at least: a look at the clock takes some 25 ns
constexpr std::uint64_t kMostSamples = 200'000;
constexpr std::uint32_t kWindow = 64;
constexpr std::size_t kUnderWay = std::size_t{64} << 20;  // bytes at most, for a window

template <class Body>
double seconds_of(Body body) {
  const auto begin = Clock::now();
  body();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The smallest power of two for which `body(count)` takes `goal` seconds on rank 0, every time of some; the
/// same in both ranks.
template <class Body>
std::uint64_t count_for(PerfLevel& level, double goal, int times, Body body) {
  for (std::uint64_t count = 1;; count *= 2) {
    double least = 1e9;
    for (int i = 0; i < times; ++i) least = std::min(least, seconds_of([&] { body(count); }));
    if (level.agree(least >= goal || count >= 1u << 30) != 0) return count;
  }
}

PerfLatency latency_of(std::vector<double>& halves, std::uint64_t batch) {
  std::ranges::sort(halves);
  const auto at = [&](double part) {
    return halves[std::min(halves.size() - 1,
                           static_cast<std::size_t>(part * static_cast<double>(halves.size())))];
  };
  const double sum = std::accumulate(halves.begin(), halves.end(), 0.0);
  return {halves.front(), at(0.5), at(0.9), at(0.99), halves.back(), sum / static_cast<double>(halves.size()),
          halves.size(),  batch};
}

PerfLatency measure_latency(PerfLevel& level, std::size_t size, double seconds) {
  const auto run = [&](std::uint64_t count) { level.round_trips(size, count); };
  const std::uint64_t batch = count_for(level, kSample, 3, run);
  const double one = seconds_of([&] { run(batch); });
  const std::uint64_t samples = level.agree(
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(seconds / std::max(one, 1e-9)), 5, kMostSamples));
  std::vector<double> halves(samples);
  for (double& half : halves) half = seconds_of([&] { run(batch); }) / static_cast<double>(batch) / 2 * 1e6;
  return latency_of(halves, batch);
}

/// Messages a second: the best of three, as what disturbs only makes it less.
double measure_rate(PerfLevel& level, std::size_t size, double seconds) {
  const auto window = static_cast<std::uint32_t>(std::clamp<std::size_t>(kUnderWay / size, 1, kWindow));
  const auto run = [&](std::uint64_t count) { level.windows(size, window, count); };
  const std::uint64_t count = count_for(level, seconds / 3, 1, run);
  double least = 1e9;
  for (int i = 0; i < 3; ++i) least = std::min(least, seconds_of([&] { run(count); }));
  return static_cast<double>(count) * window / least;
}

std::unique_ptr<PerfLevel> make_level(const std::string& name, std::size_t largest) {
  if (name == "btl") return make_btl_level(largest);
  if (name == "bml") return make_bml_level(largest);
  return make_mpi_level(largest);
}

}  // namespace

[[noreturn]] void perf_rank_dies(const std::string& text) {
  fmt::print(stderr, "hawser perf: {}\n", text);
  std::_Exit(1);
}

int run_perf_rank(const PerfPlan& plan) {
  const auto level = make_level(plan.level, *std::ranges::max_element(plan.sizes));
  for (const std::uint64_t size : plan.sizes) {
    PerfPoint point;
    point.size = size;
    if (plan.latency) point.latency = measure_latency(*level, size, plan.seconds);
    if (plan.rate) point.rate = measure_rate(*level, size, plan.seconds);
    if (level->rank() != 0) continue;
    fmt::print("{}\n", point_json(point));
    std::fflush(stdout);
  }
  level->finish();
  return 0;
}

}  // namespace hawser::tools
