// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/raw/pair.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace raw {
namespace {

using Clock = std::chrono::steady_clock;

double goal() {
  const char* text = std::getenv("BENCH_SECONDS");
  const double value = text ? std::atof(text) : 0;
  return (value > 0 ? value : 0.05) / 3;
}

double timed(const std::function<void(std::uint64_t)>& body, std::uint64_t count) {
  const auto begin = Clock::now();
  body(count);
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Both sides leave with what side 0 says.
std::uint64_t agree(Side& side, std::uint64_t value) {
  static std::uint64_t round = 0;
  Shared& s = side.shared;
  ++round;
  if (side.me == 0) {
    s.request.payload = value;
    s.request.value.store(round, std::memory_order_release);
    await(s.answer.value, round);
    return value;
  }
  await(s.request.value, round);
  value = s.request.payload;
  s.answer.value.store(round, std::memory_order_release);
  return value;
}

}  // namespace

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::_Exit(1);
}

double time_both(Side& side, const std::function<void(std::uint64_t)>& body) {
  double best = 1e9;
  std::uint64_t count = 1;
  for (std::uint64_t runs = 0; runs < 3;) {
    const double took = timed(body, agree(side, count));
    if (side.me == 0) {
      if (took >= goal()) {
        best = std::min(best, took / static_cast<double>(count)), ++runs;
      } else {
        count *=
            std::clamp<std::uint64_t>(static_cast<std::uint64_t>(1.2 * goal() / std::max(took, 1e-9)), 2, 16);
      }
    }
    runs = agree(side, runs);
    count = agree(side, count);
  }
  return best;
}

void say(const Side& side, const std::string& name, double value) {
  if (side.me == 0) std::printf("%s %.5g\n", name.c_str(), value);
}

}  // namespace raw
