// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "framework/base/columns.hpp"

namespace hawser::runtime {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kCounters = static_cast<std::size_t>(live::RailCounter::kCount);
constexpr std::size_t kMostRows = 200;

bool worth_a_row(const RailStats& rail) {
  const bool used =
      std::any_of(rail.counts.begin(), rail.counts.end(), [](auto count) { return count != 0; });
  return used || rail.state == live::to_text(live::RailState::kFailed);
}

void add(RailStats& sum, const RailStats& rail) {
  for (std::size_t i = 0; i < kCounters; ++i) sum.counts[i] += rail.counts[i];
}

std::vector<RailStats> rows_of(const std::vector<RankStats>& ranks) {
  std::vector<RailStats> rows;
  for (const RankStats& rank : ranks) {
    std::copy_if(rank.rails.begin(), rank.rails.end(), std::back_inserter(rows), worth_a_row);
  }
  const auto key = [](const RailStats& rail) { return std::tie(rail.rank, rail.peer, rail.module); };
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return rows;
}

/// One row for each rank and module.
std::vector<RailStats> folded(const std::vector<RailStats>& rows) {
  std::map<std::pair<std::uint32_t, std::string>, RailStats> sums;
  for (const RailStats& rail : rows) {
    const auto [at, fresh] = sums.try_emplace({rail.rank, rail.module}, rail);
    if (fresh) continue;
    add(at->second, rail);
    ++at->second.peers;
    if (at->second.state != rail.state) at->second.state = "mixed";
  }
  std::vector<RailStats> all;
  all.reserve(sums.size());
  for (auto& [key, sum] : sums) all.push_back(std::move(sum));
  return all;
}

std::vector<std::string> cells(std::string rank, std::string to, const RailStats& rail) {
  std::vector<std::string> row{std::move(rank), std::move(to), rail.module, rail.state};
  for (std::size_t i = 0; i < kCounters; ++i) {
    const bool size = std::string_view(live::kRailCounterInfo[i].unit) == "bytes";
    row.push_back(size ? short_number(static_cast<double>(rail.counts[i]))
                       : fmt::format("{}", rail.counts[i]));
  }
  return row;
}

std::string rails_table(std::vector<RailStats> rows) {
  if (rows.size() > kMostRows) rows = folded(rows);
  std::vector<std::string> titles{"rank", "to", "rail", "state"};
  for (const CounterInfo& info : live::kRailCounterInfo) {
    std::string title = info.name;
    std::replace(title.begin(), title.end(), '_', ' ');
    titles.push_back(std::move(title));
  }
  Columns columns(std::move(titles), 4);
  RailStats sum;
  sum.counts.resize(kCounters);
  for (const RailStats& rail : rows) {
    add(sum, rail);
    columns.add(cells(fmt::format("{}", rail.rank),
                      rail.peers == 1 ? fmt::format("{}", rail.peer) : fmt::format("{} peers", rail.peers),
                      rail));
  }
  if (rows.size() > 1) columns.add(cells("all", "", sum));
  return columns.empty() ? "no rail carried anything\n" : columns.text();
}

struct Total {
  std::uint64_t value = 0;
  std::vector<std::uint32_t> ranks;
  std::string help;
};

std::string counts_table(const std::vector<RankStats>& ranks) {
  std::map<std::pair<std::string, std::string>, Total> totals;
  for (const RankStats& rank : ranks) {
    for (const CountStats& count : rank.counts) {
      Total& total = totals[{count.owner, count.name}];
      if (!count.help.empty()) total.help = count.help;
      if (count.value == 0) continue;
      total.value += count.value;
      total.ranks.push_back(rank.rank);
    }
  }
  std::size_t counter = 0;
  std::size_t value = 0;
  for (const auto& [name, total] : totals) {
    if (total.value == 0) continue;
    counter = std::max(counter, name.first.size() + 1 + name.second.size());
    value = std::max(value, fmt::format("{}", total.value).size());
  }
  std::string text;
  for (const auto& [name, total] : totals) {
    if (total.value == 0) continue;
    const std::string where = total.ranks.size() == ranks.size() ? "all ranks"
                              : total.ranks.size() > 8           ? fmt::format("{} ranks", total.ranks.size())
                                                       : fmt::format("rank {}", fmt::join(total.ranks, ", "));
    text += fmt::format("{:<{}}  {:>{}}  {} ({})\n", name.first + " " + name.second, counter, total.value,
                        value, total.help, where);
  }
  return text;
}

}  // namespace

RailStats rail_stats(std::uint32_t rank, const live::Rail& rail) {
  RailStats stats{rank,        rail.peer,
                  1,           rail.component,
                  rail.module, live::to_text(rail.state.load(std::memory_order_relaxed)),
                  {}};
  for (std::size_t i = 0; i < kCounters; ++i) {
    stats.counts.push_back(rail.sum(static_cast<live::RailCounter>(i)));
  }
  return stats;
}

std::string write_stats(const RankStats& stats) {
  Json rails = Json::array();
  for (const RailStats& rail : stats.rails) {
    rails.push_back({rail.peer, rail.component, rail.module, rail.state, rail.counts});
  }
  Json counts = Json::array();
  for (const CountStats& count : stats.counts) {
    if (count.value != 0) counts.push_back({count.owner, count.name, count.value});
  }
  return Json{{"rails", rails}, {"counts", counts}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<RankStats> read_stats(std::uint32_t rank, std::string_view text) {
  try {
    const Json json = Json::parse(text);
    RankStats stats{rank, {}, {}};
    for (const Json& row : json.at("rails")) {
      RailStats& rail = stats.rails.emplace_back();
      rail.rank = rank;
      rail.peer = row.at(0).get<std::uint32_t>();
      rail.component = row.at(1).get<std::string>();
      rail.module = row.at(2).get<std::string>();
      rail.state = row.at(3).get<std::string>();
      rail.counts = row.at(4).get<std::vector<std::uint64_t>>();
      rail.counts.resize(kCounters);
    }
    for (const Json& row : json.at("counts")) {
      stats.counts.push_back(
          {row.at(0).get<std::string>(), row.at(1).get<std::string>(), row.at(2).get<std::uint64_t>(), ""});
    }
    return stats;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string stats_table(const std::vector<RankStats>& ranks, const std::vector<std::uint32_t>& silent) {
  std::string text = "hawser stats: what each rank sent, by peer and rail\n" + rails_table(rows_of(ranks));
  if (const std::string counts = counts_table(ranks); !counts.empty()) text += "\n" + counts;
  if (!silent.empty()) text += fmt::format("nothing is known of rank {}\n", fmt::join(silent, ", "));
  return text;
}

}  // namespace hawser::runtime
