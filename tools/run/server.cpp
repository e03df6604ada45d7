// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/server.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hawser::tools {

namespace protocol = modex::protocol;

ModexServer::ModexServer(const btl::Job& job, ServerEvents& events)
    : job_(job), events_(events), ranks_(job.size) {}

void ModexServer::on_frame(std::uint32_t rank, const protocol::Frame& frame) {
  const auto take = [&](auto message, auto&& handle) {
    if (!protocol::decode(frame.payload, message)) return malformed(rank);
    handle(std::move(message));
  };
  using protocol::Type;
  if (frame.type == Type::kHello) return take(protocol::Hello{}, [&](auto m) { on_hello(rank, m); });
  if (frame.type == Type::kAbort) {
    return take(protocol::Abort{}, [&](auto m) { events_.on_abort(rank, m.code, m.text); });
  }
  if (!ranks_[rank].joined) return malformed(rank);
  switch (frame.type) {
    case Type::kCommit:
      return take(protocol::Commit{}, [&](auto m) { on_commit(rank, std::move(m)); });
    case Type::kFence:
      return take(protocol::Fence{}, [&](auto m) { on_fence(rank, m); });
    case Type::kGet:
      return take(protocol::Get{}, [&](auto m) { on_get(rank, m); });
    case Type::kReport:
      return take(protocol::Report{}, [&](auto m) { on_report(rank, m); });
    case Type::kLeave:
      return on_leave(rank);
    default:
      return malformed(rank);
  }
}

void ModexServer::malformed(std::uint32_t rank) {
  events_.on_fault(rank, "sent a message to the launcher that is malformed or out of turn");
}

void ModexServer::on_hello(std::uint32_t rank, const protocol::Hello& hello) {
  Rank& who = ranks_[rank];
  if (who.joined) {
    send(rank, protocol::Refused{fmt::format("process {} of this rank has not left", who.pid)});
    events_.on_fault(rank,
                     fmt::format("has two processes that joined the job: {}, which did not finalize, and {}",
                                 who.pid, hello.pid));
    return;
  }
  who.joined = true;
  who.pid = hello.pid;
  who.epoch = who.joins++;
  drop_old_epochs();
  protocol::Welcome welcome{job_, who.epoch};
  welcome.job.rank = rank;
  send(rank, welcome);
}

std::size_t ModexServer::epochs() const {
  std::size_t sum = 0;
  for (const Rank& rank : ranks_) sum += rank.epochs.size();
  return sum;
}

/// What no process can ask for any more: all are past it, or have ended.
void ModexServer::drop_old_epochs() {
  std::uint32_t oldest = UINT32_MAX;
  for (const Rank& rank : ranks_) {
    if (rank.exited.empty()) oldest = std::min(oldest, rank.joined ? rank.epoch : rank.joins);
  }
  for (Rank& rank : ranks_) rank.epochs.erase(rank.epochs.begin(), rank.epochs.lower_bound(oldest));
}

void ModexServer::on_commit(std::uint32_t rank, protocol::Commit commit) {
  if (const auto checked = protocol::decode_blob(commit.blob); !checked)
    return events_.on_fault(rank, checked.error().text);
  const std::uint32_t epoch = ranks_[rank].epoch;
  Epoch& mine = epoch_of(rank, epoch);
  mine.blob = std::move(commit.blob);
  send(rank, protocol::Committed{commit.id});
  for (const Parked& parked : std::exchange(mine.parked, {})) answer_get(parked.rank, parked.id, rank, epoch);
}

void ModexServer::on_get(std::uint32_t rank, const protocol::Get& get) {
  if (get.rank >= job_.size) return malformed(rank);
  const std::uint32_t epoch = ranks_[rank].epoch;
  Epoch& about = epoch_of(get.rank, epoch);
  if (!about.blob && how_ended(get.rank, epoch).empty()) {
    about.parked.push_back({rank, get.id});
    return;
  }
  answer_get(rank, get.id, get.rank, epoch);
}

void ModexServer::answer_get(std::uint32_t to, std::uint64_t id, std::uint32_t about, std::uint32_t epoch) {
  const Rank& asker = ranks_[to];
  if (!asker.joined || asker.epoch != epoch) return;
  protocol::Got got{id, about, Errc::kOk, "", ""};
  if (const auto& blob = epoch_of(about, epoch).blob) {
    got.blob = *blob;
  } else {
    got.code = Errc::kNotFound;
    got.text = fmt::format("rank {} {} and had published nothing", about, how_ended(about, epoch));
  }
  send(to, got);
}

void ModexServer::on_report(std::uint32_t rank, const protocol::Report& report) {
  const bool first = topics_.insert(report.topic).second;
  send(rank, protocol::Reported{report.id, first});
}

void ModexServer::on_leave(std::uint32_t rank) {
  send(rank, protocol::Left{});
  Rank& who = ranks_[rank];
  who.joined = false;
  epoch_of(rank, who.epoch).ended = "left the job";
  end_epoch(rank, who.epoch);
}

void ModexServer::on_exit(std::uint32_t rank, const std::string& text) {
  Rank& who = ranks_[rank];
  who.exited = text;
  if (who.joined) epoch_of(rank, who.epoch).ended = text;
  who.joined = false;
  // Epochs that it never came to are over as well; others may wait for it there.
  std::set<std::uint32_t> epochs;
  for (const auto& [epoch, state] : who.epochs) epochs.insert(epoch);
  for (const auto& [id, state] : fences_) epochs.insert(id.epoch);
  for (const std::uint32_t epoch : epochs) end_epoch(rank, epoch);
}

/// How that process of the rank ended; "" if it is there or may still come.
std::string ModexServer::how_ended(std::uint32_t rank, std::uint32_t epoch) {
  const Rank& who = ranks_[rank];
  const std::string& ended = epoch_of(rank, epoch).ended;
  if (!ended.empty() || who.exited.empty()) return ended;
  return epoch < who.joins ? who.exited : who.exited + " before it joined the job";
}

void ModexServer::end_epoch(std::uint32_t rank, std::uint32_t epoch) {
  for (const Parked& parked : std::exchange(epoch_of(rank, epoch).parked, {})) {
    answer_get(parked.rank, parked.id, rank, epoch);
  }
  std::vector<FenceId> fences;
  for (const auto& [id, state] : fences_) {
    if (id.epoch == epoch) fences.push_back(id);
  }
  for (const FenceId id : fences) judge_fence(id);
}

}  // namespace hawser::tools
