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
    events_.send(rank, protocol::encode(*state.failed));
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
  for (std::uint32_t rank = 0; rank < job_.size; ++rank) {
    const std::string how = how_ended(rank, id.epoch);
    if (how.empty()) continue;
    return fail_fence(id, state, Errc::kPeerGone,
                      fmt::format("fence {} failed: rank {} {}", id.number, rank, how));
  }
}

void ModexServer::complete_fence(FenceId id, FenceState& state) {
  protocol::FenceDone done{id.number, Errc::kOk, "", {}};
  const std::string plain = protocol::encode(done);
  std::string collected;
  for (const auto& [rank, collects] : state.entered) {
    if (collects && collected.empty()) {
      for (std::uint32_t other = 0; other < job_.size; ++other) {
        const auto& blob = epoch_of(other, id.epoch).blob;
        done.blobs.push_back(blob ? *blob : protocol::encode_blob({}));
      }
      collected = protocol::encode(done);
    }
    events_.send(rank, collects ? collected : plain);
  }
  fences_.erase(id);
}

void ModexServer::fail_fence(FenceId id, FenceState& state, Errc code, std::string text) {
  state.failed = protocol::FenceDone{id.number, code, std::move(text), {}};
  const std::string frame = protocol::encode(*state.failed);
  for (const auto& [rank, collects] : state.entered) {
    const Rank& who = ranks_[rank];
    if (who.joined && who.epoch == id.epoch) events_.send(rank, frame);
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
               fmt::format("fence {} timed out after {:.1f} s; not there: {}", id.number,
                           static_cast<double>(state.timeout_ms) / 1000, missing(state)));
  }
}

/// "rank 3", "ranks 1, 4-6"
std::string ModexServer::missing(const FenceState& state) const {
  std::string list;
  std::size_t count = 0;
  for (std::uint32_t rank = 0; rank < job_.size; ++rank) {
    if (state.entered.count(rank) != 0) continue;
    std::uint32_t last = rank;
    while (last + 1 < job_.size && state.entered.count(last + 1) == 0) ++last;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", rank);
    if (last != rank) list += fmt::format("-{}", last);
    count += last - rank + 1;
    rank = last;
  }
  return (count == 1 ? "rank " : "ranks ") + list;
}

}  // namespace hawser::tools
