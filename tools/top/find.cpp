// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/top/find.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

namespace hawser::tools {

namespace {

constexpr int kMostAncestors = 64;

bool is_below(pid_t pid, pid_t ancestor) {
  for (int i = 0; i < kMostAncestors && pid > 1; ++i) {
    const auto process = read_process(pid);
    if (!process) return false;
    pid = process->parent;
    if (pid == ancestor) return true;
  }
  return false;
}

/// A number as people write process ids; 0: it is none.
pid_t process_number(const std::string& text) {
  pid_t pid = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), pid);
  return failed == std::errc() && end == text.data() + text.size() ? pid : 0;
}

std::string names_text(const std::set<std::uint64_t>& jobs) {
  if (jobs.empty()) return "no job runs that you may look at";
  std::string text = "there are:";
  for (const std::uint64_t job : jobs) text += " " + job_name(job);
  return text;
}

Result<std::uint64_t> job_called(const std::string& text, const std::map<pid_t, Watch>& ranks) {
  std::set<std::uint64_t> all;
  std::set<std::uint64_t> found;
  for (const auto& [pid, watch] : ranks) {
    all.insert(watch.job());
    if (fmt::format("{:016x}", watch.job()).starts_with(text)) found.insert(watch.job());
  }
  if (found.size() == 1) return *found.begin();
  if (found.size() > 1) return make_error(Errc::kNotFound, "several jobs begin with \"{}\"", text);
  const bool number = process_number(text) != 0;
  return make_error(Errc::kNotFound, "there is no {} \"{}\"; {}",
                    number ? "process, nor a job that begins with" : "job that begins with", text,
                    names_text(all));
}

}  // namespace

std::string job_name(std::uint64_t job) {
  return fmt::format("{:016x}", job).substr(0, 8);
}

/// A process that was forked by a rank and shows the rank's memory is none: who is the older of two with the
/// same job and rank counts.
std::map<pid_t, Watch> find_ranks() {
  std::map<pid_t, Watch> ranks;
  std::map<std::pair<std::uint64_t, std::uint32_t>, pid_t> seen;
  for (const pid_t pid : all_processes()) {
    const auto process = read_process(pid);
    if (!process) continue;
    auto watch = Watch::open(*process);
    if (!watch) continue;
    const auto [known, fresh] = seen.try_emplace({watch->job(), watch->rank()}, pid);
    if (!fresh) {
      if (!is_below(known->second, pid)) continue;
      ranks.erase(known->second);
      known->second = pid;
    }
    ranks.emplace(pid, std::move(*watch));
  }
  return ranks;
}

Result<Target> Target::parse(const std::string& text) {
  Target target;
  const pid_t pid = process_number(text);
  const auto process = pid > 0 ? read_process(pid) : std::nullopt;
  if (process) {
    target.pid_ = pid;
    auto rank = Watch::open(*process);
    if (rank) {
      target.kind_ = Kind::kRank;
      return target;
    }
    if (rank.error().code == Errc::kVersion || rank.error().code == Errc::kProtocol) return rank.error();
    target.kind_ = Kind::kBelow;
    for (const auto& [found, watch] : find_ranks()) {
      if (is_below(found, pid)) return target;
    }
    if (rank.error().code != Errc::kNotFound) return rank.error();
    return make_error(Errc::kNotFound, "{}, and none runs below it", rank.error().text);
  }
  auto job = job_called(text, find_ranks());
  if (!job) return job.error();
  target.kind_ = Kind::kJob;
  target.job_ = *job;
  return target;
}

bool Target::wants(const Watch& watch) const {
  switch (kind_) {
    case Kind::kRank:
      return watch.pid() == pid_;
    case Kind::kJob:
      return watch.job() == job_;
    case Kind::kBelow:
      return is_below(watch.pid(), pid_);
  }
  return false;
}

Result<void> Target::update(std::map<pid_t, Watch>& watches) const {
  std::erase_if(watches, [](const auto& entry) { return entry.second.ended(); });
  for (auto& [pid, watch] : find_ranks()) {
    if (!watches.contains(pid) && wants(watch)) watches.emplace(pid, std::move(watch));
  }
  if (watches.empty()) return make_error(Errc::kNotFound, "it has ended");
  return {};
}

}  // namespace hawser::tools
