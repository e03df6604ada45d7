// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What it costs to find the pairs to one peer, by the number of interfaces of each side; and what a process
// pays once for looking at its own.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <random>

#include "framework/interfaces/enumerate.hpp"
#include "framework/interfaces/routes.hpp"
#include "framework/interfaces/sysfs.hpp"
#include "framework/matching/assignment.hpp"
#include "framework/matching/matching.hpp"

namespace {

using hawser::interfaces::IpAddress;
using hawser::interfaces::Route;
using hawser::matching::Candidate;

Candidate nic(std::int64_t number, const std::string& address) {
  Candidate candidate;
  candidate.address = *IpAddress::parse(address);
  candidate.prefix = 24;
  candidate.nic = static_cast<std::uint32_t>(number);
  candidate.speed_mbps = 1'000u << number % 7;
  return candidate;
}

// All in one network, so that every pair is possible: the most work there can be.
void whole_match(benchmark::State& state) {
  hawser::matching::Question question;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    question.ours.push_back(nic(i, fmt::format("10.9.0.{}", i)));
    question.theirs.push_back(nic(i, fmt::format("10.9.0.{}", 100 + i)));
  }
  for (std::uint32_t i = 0; i < hawser::interfaces::kMaxRoutes; ++i) {
    question.our_routes.push_back({*IpAddress::parse(fmt::format("10.{}.0.0", i)), 16, i, false});
  }
  question.their_routes = question.our_routes;
  for (auto _ : state) benchmark::DoNotOptimize(hawser::matching::match(question));
}
BENCHMARK(whole_match)->Arg(1)->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMicrosecond);

void assignment_alone(benchmark::State& state) {
  std::mt19937 random(1);
  const auto size = static_cast<std::size_t>(state.range(0));
  hawser::matching::CostTable table(size, size);
  for (auto& cost : table.costs) cost = static_cast<std::uint32_t>(random());
  for (auto _ : state) benchmark::DoNotOptimize(hawser::matching::assign(table));
}
BENCHMARK(assignment_alone)->Arg(12)->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);

void own_interfaces(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(hawser::interfaces::enumerate());
}
BENCHMARK(own_interfaces)->Unit(benchmark::kMicrosecond);

void own_routes(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(hawser::interfaces::routes());
}
BENCHMARK(own_routes)->Unit(benchmark::kMicrosecond);

void hwloc_once(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(hawser::interfaces::read_places(hawser::interfaces::own_cores()));
  }
}
BENCHMARK(hwloc_once)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
