// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/modex/embedded.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "framework/base/hooks.hpp"

namespace hawser::modex {

using namespace std::chrono_literals;

namespace {
constexpr auto kLauncherGrace = 2s;   // on top of a deadline that the launcher keeps for us
constexpr auto kCommitTimeout = 60s;  // the launcher answers at once: reached only if it is stopped
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
  const auto old = put_.find(key);
  const std::size_t before = old == put_.end() ? 0 : key.size() + old->second.size() + 16;
  const std::size_t after = key.size() + value.size() + 16;
  if (put_bytes_ - before + after > protocol::kMaxFromRank - 64) {
    return make_error(Errc::kTruncated, "rank {} publishes more than {} bytes, \"{}\" does not fit",
                      job_.rank, protocol::kMaxFromRank, key);
  }
  if (old == put_.end() && put_.size() == protocol::kMaxKeys) {
    return make_error(Errc::kTruncated, "rank {} publishes more than {} keys, \"{}\" is one too many",
                      job_.rank, protocol::kMaxKeys, key);
  }
  put_bytes_ += after - before;
  put_.insert_or_assign(std::string(key), std::string(value));
  return {};
}

Result<void> Embedded::commit() {
  assert_no_locks_held();
  ModexLock lock(mutex_);
  if (is_over_locked()) return gone_error_locked("publishing");
  forget_locked(job_.rank);
  Waiter waiter;
  const std::uint64_t id = next_id_++;
  commits_[id] = &waiter;
  channel_.send(protocol::encode(protocol::Commit{id, protocol::encode_blob(put_)}));
  // Until the launcher has it: whoever learns of it from us, by another way, must find it there.
  const Woken woken = wait(lock, waiter, Clock::now() + kCommitTimeout);
  commits_.erase(id);
  if (woken == Woken::kGone) return gone_error_locked("publishing");
  if (woken == Woken::kDone) return {};
  return make_error(Errc::kTimedOut, "rank {}: publishing: no answer from the launcher; is it stopped?",
                    job_.rank);
}

Result<void> Embedded::fence(bool collect, Deadline deadline) {
  assert_no_locks_held();
  FenceWaiter waiter;
  const auto span = std::max(Clock::duration::zero(), deadline - Clock::now());
  const auto span_ms = std::chrono::ceil<std::chrono::milliseconds>(span).count();

  ModexLock lock(mutex_);
  const std::string what = fmt::format("fence {}", fences_entered_ + 1);
  if (is_over_locked()) return gone_error_locked(what);
  const std::uint64_t number = ++fences_entered_;
  waiter.id = next_id_++;
  fences_[number] = &waiter;
  channel_.send(protocol::encode(protocol::Fence{number, collect, static_cast<std::uint64_t>(span_ms)}));
  HAWSER_HOOK("modex.fence_waits");
  // The launcher keeps the deadline: it knows who is missing, and all members get the same outcome.
  const Woken woken = wait(lock, waiter, deadline + kLauncherGrace);
  fences_.erase(number);
  if (woken == Woken::kGone) return gone_error_locked(what);
  if (woken == Woken::kTimedOut) {
    return make_error(Errc::kTimedOut, "rank {}: {}: no answer from the launcher; is it stopped?", job_.rank,
                      what);
  }
  if (waiter.code == Errc::kOk) return {};
  return Error{waiter.code, 0, fmt::format("rank {}: {}", job_.rank, waiter.text)};
}

std::optional<std::string_view> Embedded::cached_locked(std::uint32_t rank, std::string_view key) const {
  return protocol::find_in_blob(cache_[rank], key);
}

Result<std::string> Embedded::get(std::uint32_t rank, std::string_view key, Deadline deadline) {
  assert_no_locks_held();
  GetWaiter waiter;
  waiter.key = key;
  waiter.rank = rank;

  ModexLock lock(mutex_);
  if (rank >= job_.size) {
    return make_error(Errc::kInvalid, "rank {}: there is no rank {} in a job of {}", job_.rank, rank,
                      job_.size);
  }
  if (const auto value = cached_locked(rank, key)) return std::string(*value);
  if (is_over_locked()) return gone_error_locked(fmt::format("asking for data of rank {}", rank));
  fly_locked(waiter, false);
  const Woken woken = wait(lock, waiter, deadline);
  if (woken != Woken::kDone) unlink_locked(waiter);
  if (woken == Woken::kGone) return gone_error_locked(fmt::format("asking for data of rank {}", rank));
  if (woken == Woken::kTimedOut) {
    return make_error(Errc::kTimedOut,
                      "rank {}: rank {} has not published \"{}\" in time: it has not got so far; raise "
                      "hawser_modex_timeout if it is only slow",
                      job_.rank, rank, key);
  }
  if (waiter.code != Errc::kOk)
    return Error{waiter.code, 0, fmt::format("rank {}: {}", job_.rank, waiter.text)};
  return std::move(waiter.value);
}

/// Joins the newest request under way for that rank, if it is fresh, or starts one.
void Embedded::fly_locked(GetWaiter& waiter, bool asked_again) {
  const auto after = flights_.upper_bound({waiter.rank, UINT64_MAX});
  const auto last = after == flights_.begin() ? flights_.end() : std::prev(after);
  const bool joins =
      last != flights_.end() && last->first.first == waiter.rank && is_fresh_locked(last->first);
  waiter.flight = joins ? last->first : FlightId{waiter.rank, next_id_++};
  waiter.asked_after_arrival = !joins || asked_again;
  flights_[waiter.flight].push_back(&waiter);
  HAWSER_HOOK("modex.get_waits");
  if (!joins) channel_.send(protocol::encode(protocol::Get{waiter.flight.second, waiter.rank}));
}

void Embedded::unlink_locked(GetWaiter& waiter) {
  const auto flight = flights_.find(waiter.flight);
  if (flight != flights_.end()) std::erase(flight->second, &waiter);  // the request itself stays under way
}

void Embedded::forget(std::uint32_t rank) {
  ModexLock lock(mutex_);
  if (rank < job_.size) forget_locked(rank);
}

void Embedded::forget_locked(std::uint32_t rank) {
  cache_[rank] = std::string();
  fresh_from_[rank] = next_id_;
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
  assert_no_locks_held();
  ReportWaiter waiter;
  ModexLock lock(mutex_);
  if (is_over_locked()) return false;
  const std::uint64_t id = next_id_++;
  reports_[id] = &waiter;
  channel_.send(protocol::encode(protocol::Report{id, std::string(topic)}));
  const Woken woken = wait(lock, waiter, Clock::now() + kAnswerTimeout);
  reports_.erase(id);
  return waiter.first || woken == Woken::kTimedOut;  // rather told by several ranks than by none
}

void Embedded::finalize() HAWSER_NO_ANALYSIS {
  assert_no_locks_held();
  const Deadline deadline = Clock::now() + kAnswerTimeout;
  Waiter waiter;
  ModexLock lock(mutex_);
  if (is_over_locked()) return;
  leaving_ = true;  // before the launcher hears of it: what is asked after that would be out of turn
  goodbye_ = &waiter;
  changed_.notify_all();
  channel_.send(protocol::encode(protocol::Leave{}));
  // The answer is the last that comes: nothing of ours is left in the socket for a later process of this
  // rank.
  wait(lock, waiter, deadline);
  goodbye_ = nullptr;
  left_ = true;
  // Who was told to go has gone when this returns, so that this object may be destroyed.
  while (inside_ != 0 && Clock::now() < deadline) changed_.wait_until(lock, deadline);
  lock.unlock();
  give_back_control(fd_);
}

}  // namespace hawser::modex
