// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What hawser_stats prints when a process leaves.
#include <unistd.h>

#include <map>
#include <string_view>

#include "framework/base/log.hpp"
#include "framework/runtime/runtime.hpp"

namespace hawser {

namespace {

void write_whole(const std::string& text) noexcept {
  const char* at = text.data();
  std::size_t left = text.size();
  while (left != 0) {
    const ssize_t size = retry_eintr([&] { return ::write(STDERR_FILENO, at, left); });
    if (size <= 0) return;  // nobody listens
    at += size;
    left -= static_cast<std::size_t>(size);
  }
}

/// " name value name value"
std::string values_text(const btl::CounterView& counters) {
  std::string text;
  for (std::size_t i = 0; i < counters.count; ++i) {
    text += fmt::format(" {} {}", counters.info[i].name, counters.values[i].load(std::memory_order_relaxed));
  }
  return text;
}

/// Whether the table of rails has it, from the sender's side. What comes in is nobody's rail there.
bool is_in_table(std::size_t counter) noexcept {
  using btl::BaseCounter;
  for (const BaseCounter one : {BaseCounter::kMessagesSent, BaseCounter::kBytesSent, BaseCounter::kNoResource,
                                BaseCounter::kRdmaGets, BaseCounter::kRdmaGetBytes}) {
    if (counter == static_cast<std::size_t>(one)) return true;
  }
  return false;
}

void add_counts(std::vector<runtime::CountStats>& counts, const std::string& owner,
                const btl::CounterView& view, bool (*left_out)(std::size_t) noexcept) {
  for (std::size_t i = 0; i < view.count; ++i) {
    if (left_out && left_out(i)) continue;
    counts.push_back(
        {owner, view.info[i].name, view.values[i].load(std::memory_order_relaxed), view.info[i].help});
  }
}

}  // namespace

runtime::RankStats Runtime::own_stats() const {
  runtime::RankStats stats{job().rank, {}, {}};
  for (const live::Rail* rail : live_->rails()) stats.rails.push_back(runtime::rail_stats(job().rank, *rail));
  for (btl::Component* component : loader_.components()) {
    const std::string owner = fmt::format("btl {}", loader_.name_of(*component));
    std::map<std::string, runtime::CountStats> sums;  // over its modules
    std::vector<runtime::CountStats> counts;
    for (std::size_t i = 0; i < component->module_count(); ++i) {
      add_counts(counts, owner, component->module(i).counters(), &is_in_table);
    }
    for (const runtime::CountStats& count : counts) {
      sums.try_emplace(count.name, runtime::CountStats{owner, count.name, 0, count.help})
          .first->second.value += count.value;
    }
    for (auto& [name, sum] : sums) stats.counts.push_back(std::move(sum));
  }
  for (const LayerCounters& layer : layer_counters_)
    add_counts(stats.counts, layer.owner, layer.counters, nullptr);
  return stats;
}

/// To the rank that prints the table, before the last meeting: what a rank still answers others after that is
/// not in it.
void Runtime::hand_on_stats() {
  if (job().rank == 0 || std::string_view(params_.stats_format) != "table") return;
  auto put = modex_->put(runtime::kStatsKey, runtime::write_stats(own_stats()));
  if (put) put = modex_->commit();
  if (!put) log::print(log::Level::kWarn, "", "its counters are not in the table: {}", put.error().text);
}

void Runtime::print_stats() {
  if (std::string_view(params_.stats_format) != "table") return write_whole(stats_text());
  if (job().rank != 0) return;
  std::vector<runtime::RankStats> ranks{own_stats()};
  std::vector<std::uint32_t> silent;
  for (std::uint32_t rank = 1; rank < job().size; ++rank) {
    modex_->forget(rank);
    const auto text = modex_->get(rank, runtime::kStatsKey, modex_deadline());
    auto stats = text ? runtime::read_stats(rank, *text) : std::nullopt;
    if (stats) {
      ranks.push_back(std::move(*stats));
    } else {
      silent.push_back(rank);
    }
  }
  write_whole(runtime::stats_table(ranks, silent));
}

std::string Runtime::stats_text() const {
  const std::string lead = fmt::format("hawser stats: rank {} ", job().rank);
  std::string text;
  for (btl::Component* component : loader_.components()) {
    for (std::size_t i = 0; i < component->module_count(); ++i) {
      const btl::Module& module = component->module(i);
      text += fmt::format("{}btl {} module {}{}\n", lead, loader_.name_of(*component), module.name(),
                          values_text(module.counters()));
    }
  }
  for (const live::Rail* rail : live_->rails()) {
    const runtime::RailStats stats = runtime::rail_stats(job().rank, *rail);
    text += fmt::format("{}rail to {} over {} {} {}", lead, stats.peer, stats.component, stats.module,
                        stats.state);
    for (std::size_t i = 0; i < stats.counts.size(); ++i) {
      text += fmt::format(" {} {}", live::kRailCounterInfo[i].name, stats.counts[i]);
    }
    text += '\n';
  }
  if (params_.progress_thread) {
    text +=
        fmt::format("{}progress thread watches {} moved {}\n", lead, engine_.watches(), engine_.attended());
  }
  for (const LayerCounters& layer : layer_counters_) {
    text += fmt::format("{}{}{}\n", lead, layer.owner, values_text(layer.counters));
  }
  for (const StatsSource& source : stats_) source.append(source.context, text);
  return text;
}

}  // namespace hawser
