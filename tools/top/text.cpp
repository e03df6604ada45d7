// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "framework/base/columns.hpp"
#include "tools/common/terminal.hpp"
#include "tools/top/find.hpp"
#include "tools/top/report.hpp"

namespace hawser::tools {

namespace {

using live::RailCounter;
using live::RailState;

std::string age_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

/// What a rank does, as far as it is to be seen from outside.
std::string doing(const RankLook& rank) {
  if (rank.process.state == 'T' || rank.process.state == 't') return "stopped";
  if (rank.process.state == 'Z' || rank.process.state == 'X') return "ended";
  if (rank.waits) return "waits";
  return rank.process.state == 'R' ? "runs" : "sleeps elsewhere";
}

std::string painted(const Columns& columns, const Paint& paint) {
  std::string text;
  for (const std::string& line : columns.lines()) text += (text.empty() ? paint.dim(line) : line) + "\n";
  return text;
}

std::vector<const RankLook*> by_rank(const Looks& looks) {
  std::vector<const RankLook*> all;
  for (const auto& [pid, look] : looks) all.push_back(&look);
  std::ranges::sort(all, [](const RankLook* a, const RankLook* b) {
    return std::pair(a->job, a->rank) < std::pair(b->job, b->rank);
  });
  return all;
}

std::string rank_table(const std::vector<const RankLook*>& ranks, const Looks& before, const Paint& paint) {
  Columns columns({"rank", "process", "does", "cpu", "posted", "unexpected", "ahead", "pending", "transfers",
                   "unacknowledged"},
                  3);
  for (const RankLook* rank : ranks) {
    const double cpu = cpu_share(*rank, before);
    columns.add({fmt::format("{}", rank->rank), fmt::format("{}", rank->process.pid), doing(*rank),
                 cpu < 0 ? "-" : fmt::format("{:.0f}%", cpu * 100), fmt::format("{}", rank->posted),
                 fmt::format("{}", rank->unexpected), fmt::format("{}", rank->ahead),
                 fmt::format("{}", rank->pending()), fmt::format("{}", rank->transfers),
                 fmt::format("{}", rank->unacknowledged())});
  }
  return painted(columns, paint);
}

std::string rail_table(const std::vector<const RankLook*>& ranks, const Looks& before, const Paint& paint) {
  Columns columns({"rank", "to", "rail", "state", "msg/s", "byte/s", "messages", "bytes", "read", "refused",
                   "sent again"},
                  4);
  for (const RankLook* rank : ranks) {
    for (const RailLook& rail : rank->rails) {
      const Rates rate = rates(rail, *rank, before);
      const bool failed = std::ranges::any_of(
          rank->peers, [&](const PeerLook& peer) { return peer.rank == rail.peer && peer.failed; });
      const auto shown = [&](RailCounter counter) {
        return short_number(static_cast<double>(rail.count(counter)));
      };
      columns.add({fmt::format("{}", rank->rank), fmt::format("{}", rail.peer), rail.module,
                   failed ? "peer failed" : to_text(rail.state),
                   rate.known ? short_number(rate.messages) : "-",
                   rate.known ? short_number(rate.bytes) : "-", shown(RailCounter::kMessages),
                   shown(RailCounter::kBytes), shown(RailCounter::kReadBytes), shown(RailCounter::kRefused),
                   shown(RailCounter::kSentAgain)});
    }
  }
  return painted(columns, paint);
}

}  // namespace

Rates rates(const RailLook& now, const RankLook& rank, const Looks& before) {
  const auto then = before.find(rank.process.pid);
  if (then == before.end() || then->second.at_ns >= rank.at_ns) return {};
  const double seconds = static_cast<double>(rank.at_ns - then->second.at_ns) / 1e9;
  // One that was not there before has done all it did since.
  RailLook none;
  const auto found = std::ranges::find_if(then->second.rails, [&](const RailLook& rail) {
    return rail.peer == now.peer && rail.module == now.module && rail.component == now.component;
  });
  const RailLook& old = found == then->second.rails.end() ? none : *found;
  const auto grown = [&](RailCounter counter) {
    return static_cast<double>(now.count(counter) - std::min(old.count(counter), now.count(counter)));
  };
  return {true, (grown(RailCounter::kMessages) + grown(RailCounter::kReads)) / seconds,
          (grown(RailCounter::kBytes) + grown(RailCounter::kReadBytes)) / seconds};
}

double cpu_share(const RankLook& rank, const Looks& before) {
  const auto then = before.find(rank.process.pid);
  if (then == before.end() || then->second.at_ns >= rank.at_ns) return -1;
  const double seconds = static_cast<double>(rank.at_ns - then->second.at_ns) / 1e9;
  return std::max(0.0, rank.process.cpu_seconds - then->second.process.cpu_seconds) / seconds;
}

std::string jobs_text(const Looks& looks, bool colour) {
  const auto ranks = by_rank(looks);
  if (ranks.empty()) return "No Hawser job runs here that you may look at.\n";
  Columns columns({"job", "program", "launcher", "user", "ranks here", "of", "for"}, 4);
  for (std::size_t i = 0; i < ranks.size();) {
    const RankLook& first = *ranks[i];
    std::size_t count = 0;
    double age = 0;
    for (; i < ranks.size() && ranks[i]->job == first.job; ++i, ++count) {
      age = std::max(age, ranks[i]->process.age_seconds);
    }
    columns.add({job_name(first.job), first.process.program, fmt::format("{}", first.process.parent),
                 user_text(first.process.user), fmt::format("{}", count), fmt::format("{}", first.ranks),
                 age_text(age)});
  }
  return painted(columns, Paint{colour});
}

std::string ranks_text(const Looks& looks, const Looks& before, bool colour) {
  const Paint paint{colour};
  const auto ranks = by_rank(looks);
  std::string out;
  for (std::size_t i = 0; i < ranks.size();) {
    std::vector<const RankLook*> job;
    for (const std::uint64_t id = ranks[i]->job; i < ranks.size() && ranks[i]->job == id; ++i) {
      job.push_back(ranks[i]);
    }
    const RankLook& first = *job.front();
    out += fmt::format("{}job {}  {}  {} of {} ranks  for {}\n", out.empty() ? "" : "\n",
                       paint.bold(job_name(first.job)), first.process.program, job.size(), first.ranks,
                       age_text(first.process.age_seconds));
    out += rank_table(job, before, paint) + "\n" + rail_table(job, before, paint);
    for (const RankLook* rank : job) {
      if (rank->unseen == 0) continue;
      out += fmt::format("rank {} has {} rails and queues more than it can show\n", rank->rank, rank->unseen);
    }
  }
  return out;
}

}  // namespace hawser::tools
