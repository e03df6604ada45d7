// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Fences: the expected set is the whole job, known before the first rank starts; one fence has one outcome
// for all.
#include <fmt/format.h>

#include <algorithm>

#include "tools/run/server.hpp"

namespace hawser::tools {

namespace protocol = modex::protocol;

namespace {
constexpr std::uint64_t kLongest_ms = std::uint64_t{365} * 24 * 3600 * 1000;
}

void ModexServer::on_fence(std::uint32_t rank, const protocol::Fence& fence) {
  const std::uint32_t epoch = ranks_[rank].epoch;
  if (fence.number != ++epoch_of(rank, epoch).fences_entered) return malformed(rank);
  const FenceId id{epoch, fence.number};
  FenceState& state = fences_[id];
  state.entered[rank] = fence.collect;
  if (state.failed) {
    send(rank, *state.failed);
    return forget_fence(id);
  }
  const auto span = std::chrono::milliseconds(std::min(fence.timeout_ms, kLongest_ms));
  if (const Deadline deadline = Clock::now() + span; deadline < state.deadline) {
    state.deadline = deadline;
    state.timeout_ms = fence.timeout_ms;
  }
  judge_fence(id);
}

void ModexServer::judge_fence(FenceId id) {
  FenceState& state = fences_[id];
  if (state.failed) return forget_fence(id);
  if (state.entered.size() == job_.size) return complete_fence(id, state);
  std::string gone;
  for (std::uint32_t rank = 0; rank < job_.size; ++rank) {
    const std::string how = how_ended(rank, id.epoch);
    if (!how.empty()) gone += fmt::format("{}rank {} {}", gone.empty() ? "" : ", ", rank, how);
  }
  if (gone.empty()) return;
  fail_fence(id, state, Errc::kPeerGone,
             fmt::format("fence {} failed: {}; every rank of the job must enter: look for the reason there",
                         id.number, gone));
}

/// What every rank published, as one frame; without it where it would be too much: they ask for what they
/// need.
protocol::SharedFrame ModexServer::collected(FenceId id) {
  protocol::FenceDone done{id.number, Errc::kOk, "", {}};
  static const std::string nothing = protocol::encode_blob({});
  std::size_t bytes = 0;
  for (std::uint32_t rank = 0; rank < job_.size; ++rank) {
    const auto& blob = epoch_of(rank, id.epoch).blob;
    done.blobs.push_back(blob ? *blob : nothing);
    bytes += done.blobs.back().size();
  }
  if (bytes > protocol::kMaxCollected) done.blobs.clear();
  return std::make_shared<const std::string>(protocol::encode(done));
}

void ModexServer::complete_fence(FenceId id, FenceState& state) {
  const auto plain = std::make_shared<const std::string>(
      protocol::encode(protocol::FenceDone{id.number, Errc::kOk, "", {}}));
  protocol::SharedFrame all;
  for (const auto& [rank, collects] : state.entered) {
    if (collects && !all) all = collected(id);
    events_.send(rank, collects ? all : plain);
  }
  fences_.erase(id);
}

void ModexServer::fail_fence(FenceId id, FenceState& state, Errc code, std::string text) {
  state.failed = protocol::FenceDone{id.number, code, std::move(text), {}};
  for (const auto& [rank, collects] : state.entered) {
    const Rank& who = ranks_[rank];
    if (who.joined && who.epoch == id.epoch) send(rank, *state.failed);
  }
  forget_fence(id);
}

/// A failed fence is remembered until all have heard of it that still can.
void ModexServer::forget_fence(FenceId id) {
  const FenceState& state = fences_[id];
  for (std::uint32_t rank = 0; rank < job_.size; ++rank) {
    if (state.entered.count(rank) == 0 && how_ended(rank, id.epoch).empty()) return;
  }
  fences_.erase(id);
}

std::optional<Deadline> ModexServer::next_deadline() const {
  std::optional<Deadline> next;
  for (const auto& [id, state] : fences_) {
    if (!state.failed && (!next || state.deadline < *next)) next = state.deadline;
  }
  return next;
}

void ModexServer::run_timers(Deadline now) {
  std::vector<FenceId> due;
  for (const auto& [id, state] : fences_) {
    if (!state.failed && state.deadline <= now) due.push_back(id);
  }
  for (const FenceId id : due) {
    FenceState& state = fences_[id];
    fail_fence(id, state, Errc::kTimedOut,
               fmt::format("fence {} timed out after {:.1f} s; {}; raise hawser_modex_timeout if they are "
                           "only slow",
                           id.number, static_cast<double>(state.timeout_ms) / 1000, missing(id, state)));
  }
}

namespace {

/// "rank 3", "ranks 1, 4-6"
std::string list_of(const std::vector<std::uint32_t>& ranks) {
  std::string list;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < ranks.size() && ranks[i + 1] == ranks[i] + 1) ++i;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", ranks[first]);
    if (i != first) list += fmt::format("-{}", ranks[i]);
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + list;
}

}  // namespace

/// "not there: ranks 1, 4-6; not even in the job yet: rank 3"
std::string ModexServer::missing(FenceId id, const FenceState& state) const {
  std::vector<std::uint32_t> late;
  std::vector<std::uint32_t> unjoined;
  for (std::uint32_t rank = 0; rank < job_.size; ++rank) {
    if (state.entered.count(rank) == 0) (ranks_[rank].joins > id.epoch ? late : unjoined).push_back(rank);
  }
  std::string text;
  if (!late.empty()) text = "not there: " + list_of(late);
  if (!unjoined.empty())
    text += (late.empty() ? "" : "; ") + ("not even in the job yet: " + list_of(unjoined));
  return text;
}

}  // namespace hawser::tools
