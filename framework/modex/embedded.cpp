// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/modex/embedded.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "framework/base/hooks.hpp"

namespace hawser::modex {

using namespace std::chrono_literals;

namespace {
constexpr auto kLauncherGrace = 2s;   // on top of a deadline that the launcher keeps for us
constexpr auto kSendTimeout = 60s;    // the launcher always reads: reached only if it is stopped
constexpr auto kAnswerTimeout = 30s;  // for questions that the launcher answers at once
}  // namespace

Result<std::unique_ptr<Modex>> Embedded::join(int fd, Deadline deadline) {
  auto modex = std::make_unique<Embedded>(fd);
  Waiter hello;
  ModexLock lock(modex->mutex_);
  modex->hello_ = &hello;
  modex->channel_.send(protocol::encode(protocol::Hello{static_cast<std::uint32_t>(::getpid())}));
  const Woken woken = modex->wait(lock, hello, deadline);
  modex->hello_ = nullptr;
  if (woken == Woken::kGone) return modex->gone_error_locked("joining the job");
  if (woken == Woken::kTimedOut) {
    return make_error(Errc::kTimedOut, "the launcher did not answer on descriptor {} (HAWSER_CONTROL_FD)",
                      fd);
  }
  if (hello.code != Errc::kOk)
    return Error{hello.code, 0, "the launcher refused this process: " + hello.text};
  lock.unlock();
  return std::unique_ptr<Modex>(std::move(modex));
}

Result<void> Embedded::put(std::string_view key, std::string_view value) {
  ModexLock lock(mutex_);
  if (key.size() > 0xffff)
    return make_error(Errc::kInvalid, "a modex key of {} bytes is too long", key.size());
  const std::size_t cost = key.size() + value.size() + 16;
  if (put_bytes_ + cost > protocol::kMaxFromRank - 64) {
    return make_error(Errc::kTruncated, "rank {} publishes more than {} bytes, \"{}\" does not fit",
                      job_.rank, protocol::kMaxFromRank, key);
  }
  const auto old = put_.find(key);
  if (old == put_.end()) {
    put_bytes_ += cost;
    put_.emplace(key, value);
  } else {
    put_bytes_ += value.size() - old->second.size();
    old->second = value;
  }
  return {};
}

Result<void> Embedded::commit() {
  ModexLock lock(mutex_);
  if (gone_ || left_) return gone_error_locked("publishing");
  cache_.erase(job_.rank);
  const std::string frame = protocol::encode(protocol::Commit{protocol::encode_blob(put_)});
  if (send_all(lock, frame, Clock::now() + kSendTimeout)) return {};
  if (gone_) return gone_error_locked("publishing");
  return make_error(Errc::kTimedOut, "rank {}: the launcher does not read", job_.rank);
}

Result<void> Embedded::fence(bool collect, Deadline deadline) {
  FenceWaiter waiter;
  const auto span = std::max(Clock::duration::zero(), deadline - Clock::now());
  const auto span_ms = std::chrono::ceil<std::chrono::milliseconds>(span).count();

  ModexLock lock(mutex_);
  if (gone_ || left_) return gone_error_locked("a fence");
  const std::uint64_t number = ++fences_entered_;
  fences_[number] = &waiter;
  channel_.send(protocol::encode(protocol::Fence{number, collect, static_cast<std::uint64_t>(span_ms)}));
  // The launcher keeps the deadline: it knows who is missing, and all members get the same outcome.
  const Woken woken = wait(lock, waiter, deadline + kLauncherGrace);
  fences_.erase(number);
  if (woken == Woken::kGone) return gone_error_locked("a fence");
  if (woken == Woken::kTimedOut) {
    return make_error(Errc::kTimedOut, "rank {}: fence {}: no answer from the launcher", job_.rank, number);
  }
  if (waiter.code != Errc::kOk)
    return Error{waiter.code, 0, fmt::format("rank {}: {}", job_.rank, waiter.text)};
  cache_.clear();
  for (std::uint32_t rank = 0; rank < waiter.blobs.size(); ++rank) {
    protocol::Blob blob;
    if (protocol::decode_blob(waiter.blobs[rank], blob)) cache_[rank] = std::move(blob);
  }
  return {};
}

const std::string* Embedded::cached_locked(std::uint32_t rank, std::string_view key) const {
  const auto blob = cache_.find(rank);
  if (blob == cache_.end()) return nullptr;
  const auto value = blob->second.find(key);
  return value == blob->second.end() ? nullptr : &value->second;
}

Result<std::string> Embedded::get(std::uint32_t rank, std::string_view key, Deadline deadline) {
  GetWaiter waiter;
  waiter.key = key;
  waiter.rank = rank;

  ModexLock lock(mutex_);
  if (rank >= job_.size) {
    return make_error(Errc::kInvalid, "rank {}: there is no rank {} in a job of {}", job_.rank, rank,
                      job_.size);
  }
  if (const std::string* value = cached_locked(rank, key)) return *value;
  if (gone_ || left_) return gone_error_locked("asking for another rank's data");
  fly_locked(waiter, false);
  const Woken woken = wait(lock, waiter, deadline);
  if (woken != Woken::kDone) unlink_locked(waiter);
  if (woken == Woken::kGone) return gone_error_locked("asking for another rank's data");
  if (woken == Woken::kTimedOut) {
    return make_error(Errc::kTimedOut,
                      "rank {}: rank {} has not published \"{}\" in time: it has not got so far", job_.rank,
                      rank, key);
  }
  if (waiter.code != Errc::kOk)
    return Error{waiter.code, 0, fmt::format("rank {}: {}", job_.rank, waiter.text)};
  return std::move(waiter.value);
}

/// Joins the request under way for that rank, or starts one. Found again by rank, which is also how the
/// answer is delivered.
void Embedded::fly_locked(GetWaiter& waiter, bool asked_again) {
  const auto [place, is_new] = flights_.try_emplace(waiter.rank);
  Flight& flight = place->second;
  flight.waiters.push_back(&waiter);
  waiter.asked_after_arrival = is_new || asked_again;
  HAWSER_HOOK("modex_get_waits");
  if (!is_new) return;
  flight.id = next_id_++;
  channel_.send(protocol::encode(protocol::Get{flight.id, waiter.rank}));
}

void Embedded::unlink_locked(GetWaiter& waiter) {
  const auto flight = flights_.find(waiter.rank);
  if (flight != flights_.end())
    std::erase(flight->second.waiters, &waiter);  // the request itself stays under way
}

void Embedded::forget(std::uint32_t rank) {
  ModexLock lock(mutex_);
  cache_.erase(rank);
}

void Embedded::abort(int code, std::string_view text) {
  const int status = (code & 0xff) != 0 ? code & 0xff : 1;
  {
    ModexLock lock(mutex_);
    send_all(lock, protocol::encode(protocol::Abort{status, std::string(text)}),
             Clock::now() + kLauncherGrace);
  }
  ::_exit(status);  // no handlers: they may wait for threads and peers that are stuck
}

bool Embedded::first_to_report(std::string_view topic) {
  ReportWaiter waiter;
  ModexLock lock(mutex_);
  if (gone_ || left_) return false;
  const std::uint64_t id = next_id_++;
  reports_[id] = &waiter;
  channel_.send(protocol::encode(protocol::Report{id, std::string(topic)}));
  wait(lock, waiter, Clock::now() + kAnswerTimeout);
  reports_.erase(id);
  return waiter.first;
}

void Embedded::finalize() {
  Waiter waiter;
  ModexLock lock(mutex_);
  if (gone_ || left_) return;
  goodbye_ = &waiter;
  channel_.send(protocol::encode(protocol::Leave{}));
  // The answer is the last that comes: nothing of ours is left in the socket for a later process of this
  // rank.
  wait(lock, waiter, Clock::now() + kAnswerTimeout);
  goodbye_ = nullptr;
  left_ = true;
  lock.unlock();
  give_back_control();
}

}  // namespace hawser::modex
