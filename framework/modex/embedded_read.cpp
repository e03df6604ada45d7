// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The waiting and reading half of the embedded modex.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "framework/modex/embedded.hpp"

namespace hawser::modex {
namespace {

/// Waits for `events` up to the deadline; no lock is held here.
void poll_until(int fd, short events, Deadline deadline) {
  assert_no_locks_held();
  const auto span = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  pollfd entry{fd, events, 0};
  ::poll(&entry, 1, static_cast<int>(std::clamp<std::int64_t>(span, 0, 60000)));  // woken early: callers loop
}

}  // namespace

Embedded::Woken Embedded::wait(ModexLock& lock, Waiter& waiter, Deadline deadline) {
  ++inside_;
  const Woken woken = wait_inside(lock, waiter, deadline);
  --inside_;
  if (leaving_) changed_.notify_all();
  return woken;
}

Embedded::Woken Embedded::wait_inside(ModexLock& lock, Waiter& waiter, Deadline deadline) HAWSER_NO_ANALYSIS {
  while (!waiter.done) {
    if (gone_ || (leaving_ && &waiter != goodbye_)) return Woken::kGone;
    if (Clock::now() >= deadline) return Woken::kTimedOut;
    if (!reading_) {
      read_once(lock, deadline);
    } else if (channel_.has_output()) {  // whoever reads may have begun before there was something to send
      lock.unlock();
      poll_until(fd_, POLLOUT, deadline);
      lock.lock();
      channel_.flush();
    } else {
      changed_.wait_until(lock, deadline);
    }
  }
  return Woken::kDone;
}

void Embedded::read_once(ModexLock& lock, Deadline deadline) HAWSER_NO_ANALYSIS {
  reading_ = true;
  const short events = static_cast<short>(channel_.has_output() ? POLLIN | POLLOUT : POLLIN);
  lock.unlock();
  poll_until(fd_, events, deadline);
  lock.lock();
  channel_.flush();
  read_locked();
  reading_ = false;
  changed_.notify_all();  // some are served, and one of the others must read
}

bool Embedded::send_all(ModexLock& lock, const std::string& frame, Deadline deadline) HAWSER_NO_ANALYSIS {
  channel_.send(frame);
  while (channel_.has_output() && !gone_ && Clock::now() < deadline) {
    lock.unlock();
    poll_until(fd_, POLLOUT, deadline);
    lock.lock();
    if (!channel_.flush()) lose_locked(make_error(Errc::kPeerGone, "the control connection is closed"));
  }
  return !gone_ && !channel_.has_output();
}

void Embedded::on_readable() noexcept {
  ModexLock lock(mutex_);
  try {
    if (!reading_ && !left_) read_locked();
  } catch (const std::bad_alloc&) {  // what was read is lost, and with it our place in the stream
    std::fputs(
        "no memory to read what the launcher sent, so this rank ends: start fewer ranks on this machine\n",
        stderr);
    lose_locked(Error{Errc::kOutOfMemory, 0, "no memory"});
  }
  if (gone_ && !left_) ::_exit(1);
}

void Embedded::read_locked() {
  if (gone_) return;
  auto received = channel_.receive();
  for (;;) {  // what came before the end still counts
    auto frame = channel_.next();
    if (!frame) return lose_locked(frame.error());
    if (!*frame) break;
    if (!dispatch_locked(**frame)) {
      return lose_locked(make_error(Errc::kProtocol, "the launcher sent a malformed message of type {}",
                                    static_cast<int>((*frame)->type)));
    }
  }
  if (!received) lose_locked(received.error());
}

bool Embedded::dispatch_locked(const protocol::Frame& frame) {
  using protocol::Type;
  switch (frame.type) {
    case Type::kWelcome:
    case Type::kRefused:
      return on_welcome_locked(frame);
    case Type::kFenceDone:
      return on_fence_done_locked(frame);
    case Type::kGot:
      return on_got_locked(frame);
    case Type::kCommitted:
      return on_committed_locked(frame);
    case Type::kReported:
      return on_reported_locked(frame);
    case Type::kLeft:
      if (goodbye_) goodbye_->done = true;
      return true;
    default:
      return false;
  }
}

bool Embedded::on_welcome_locked(const protocol::Frame& frame) {
  protocol::Welcome welcome;
  protocol::Refused refused;
  if (frame.type == protocol::Type::kWelcome) {
    if (!protocol::decode(frame.payload, welcome)) return false;
  } else if (!protocol::decode(frame.payload, refused)) {
    return false;
  }
  if (!hello_ || hello_->done) return true;  // one answer counts
  job_ = welcome.job;
  fresh_from_.assign(job_.size, 0);
  cache_.assign(job_.size, std::string());
  hello_->code = frame.type == protocol::Type::kWelcome ? Errc::kOk : Errc::kPermission;
  hello_->text = std::move(refused.text);
  hello_->done = true;
  return true;
}

bool Embedded::on_fence_done_locked(const protocol::Frame& frame) {
  protocol::FenceDone done;
  if (!protocol::decode(frame.payload, done)) return false;
  const auto found = fences_.find(done.number);
  if (found == fences_.end()) return true;  // its caller gave up
  FenceWaiter& waiter = *found->second;
  fences_.erase(found);
  if (done.code == Errc::kOk) cache_fence_locked(done, waiter.id);
  waiter.code = done.code;
  waiter.text = std::move(done.text);
  waiter.done = true;
  return true;
}

/// What was cached before is older than the fence. A rank that was forgotten since the fence was entered may
/// have published again.
void Embedded::cache_fence_locked(const protocol::FenceDone& done, std::uint64_t id) {
  cache_.assign(job_.size, std::string());
  const std::size_t count = std::min(done.blobs.size(), fresh_from_.size());
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    if (!is_fresh_locked({rank, id})) continue;
    if (protocol::decode_blob(done.blobs[rank])) cache_[rank] = done.blobs[rank];
  }
}

bool Embedded::on_got_locked(const protocol::Frame& frame) {
  protocol::Got got;
  if (!protocol::decode(frame.payload, got)) return false;
  if (got.code != Errc::kOk) got.blob.clear();
  if (got.code == Errc::kOk && !protocol::decode_blob(got.blob)) return false;
  const auto found = flights_.find({got.rank, got.id});
  if (found == flights_.end()) return true;
  const FlightId id = found->first;
  const std::vector<GetWaiter*> waiters = std::move(found->second);
  flights_.erase(found);  // before anybody is completed: who comes now starts a request of his own
  for (GetWaiter* waiter : waiters) {
    const auto value = protocol::find_in_blob(got.blob, waiter->key);
    const bool absent = !value;
    if (absent && !waiter->asked_after_arrival) {
      fly_locked(*waiter, true);  // the answer may be older than the waiter
      continue;
    }
    if (value) waiter->value = *value;
    waiter->code = absent ? Errc::kNotFound : Errc::kOk;
    if (absent) {
      waiter->text = got.code == Errc::kOk ? fmt::format("rank {} published no \"{}\"", got.rank, waiter->key)
                                           : got.text;
    }
    waiter->done = true;
  }
  if (got.code == Errc::kOk && is_fresh_locked(id)) cache_[got.rank] = std::move(got.blob);
  return true;
}

bool Embedded::on_committed_locked(const protocol::Frame& frame) {
  protocol::Committed committed;
  if (!protocol::decode(frame.payload, committed)) return false;
  const auto found = commits_.find(committed.id);
  if (found == commits_.end()) return true;  // its caller gave up
  found->second->done = true;
  commits_.erase(found);
  return true;
}

bool Embedded::on_reported_locked(const protocol::Frame& frame) {
  protocol::Reported reported;
  if (!protocol::decode(frame.payload, reported)) return false;
  const auto found = reports_.find(reported.id);
  if (found == reports_.end()) return true;
  found->second->first = reported.first;
  found->second->done = true;
  reports_.erase(found);
  return true;
}

void Embedded::lose_locked(Error error) {
  if (!gone_) gone_ = std::move(error);
  changed_.notify_all();
}

Error Embedded::gone_error_locked(std::string_view during) const {
  if (!gone_)
    return make_error(Errc::kShutdown, "rank {}: {}: this process leaves the job, or has left it", job_.rank,
                      during);
  return Error{gone_->code, gone_->sys_errno,
               fmt::format("rank {}: {}: the launcher is gone ({})", job_.rank, during, gone_->text)};
}

}  // namespace hawser::modex
