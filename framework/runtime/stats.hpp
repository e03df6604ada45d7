// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/live/layout.hpp"

namespace hawser::runtime {

/// What one rank counted on one rail.
struct RailStats {
  std::uint32_t rank = 0;
  std::uint32_t peer = 0;
  std::uint32_t peers = 1;  // that are in it; of several, `peer` is one
  std::string component;
  std::string module;
  std::string state;
  std::vector<std::uint64_t> counts;  // by live::RailCounter
};

/// A counter of a layer or of a component's modules together.
struct CountStats {
  std::string owner;  // "btl tcp", "bml guard"
  std::string name;
  std::uint64_t value = 0;
  std::string help;  // not handed on: who adds up knows it
};

/// All that one rank has to tell.
struct RankStats {
  std::uint32_t rank = 0;
  std::vector<RailStats> rails;
  std::vector<CountStats> counts;
};

/// The modex key under which ranks hand theirs to the one that prints.
inline constexpr const char* kStatsKey = "stats";

RailStats rail_stats(std::uint32_t rank, const live::Rail& rail);

std::string write_stats(const RankStats& stats);
/// Nothing: it cannot be read.
std::optional<RankStats> read_stats(std::uint32_t rank, std::string_view text);

/// The tables that people see: a row for each rank, peer and rail that carried something or failed, or, if
/// those are too many, for each rank and module; then what else was counted and is not zero. `silent`: ranks
/// that told nothing.
std::string stats_table(const std::vector<RankStats>& ranks, const std::vector<std::uint32_t>& silent);

}  // namespace hawser::runtime
