// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/base/mutex.hpp"
#include "framework/modex/channel.hpp"
#include "framework/modex/modex.hpp"

namespace hawser::modex {

/// The modex of a rank that `hawser run` started.
///
/// Whoever waits, reads: one waiter at a time polls the socket, with no lock held, and completes the others;
/// when it is served or out of time another takes over. A waiter lives on its caller's stack and is unlinked
/// before it is completed, or by its own caller at its deadline.
///
/// What is cached is as the launcher's stream of answers tells it, in its order; but for `forget`, which
/// knows of news from elsewhere: from then on no answer to an older request is joined or cached.
class Embedded final : public Modex {
 public:
  /// Says hello over `fd` and waits for the welcome.
  static Result<std::unique_ptr<Modex>> join(int fd, Deadline deadline);

  explicit Embedded(int fd) : fd_(fd), channel_(fd, protocol::kMaxFromLauncher) {}

  const char* name() const noexcept override { return "embedded"; }
  const btl::Job& job() const noexcept override { return job_; }
  Result<void> put(std::string_view key, std::string_view value) override;
  Result<void> commit() override;
  Result<void> fence(bool collect, Deadline deadline) override;
  Result<std::string> get(std::uint32_t rank, std::string_view key, Deadline deadline) override;
  void forget(std::uint32_t rank) override;
  [[noreturn]] void abort(int code, std::string_view text) override;
  bool first_to_report(std::string_view topic) override;
  void finalize() override;
  int control_fd() const noexcept override { return fd_; }
  void on_readable() noexcept override;

 private:
  using ModexLock = Lock<LockRank::kModex>;
  struct Waiter {
    bool done = false;
    Errc code = Errc::kOk;
    std::string text;
  };
  struct FenceWaiter : Waiter {
    std::uint64_t id = 0;  // among all requests, in the order of sending
  };
  using FlightId = std::pair<std::uint32_t, std::uint64_t>;  // rank, id among all requests
  struct GetWaiter : Waiter {
    std::string_view key;
    std::uint32_t rank = 0;
    FlightId flight{};
    bool asked_after_arrival = false;  // the request under way was sent after this waiter came
    std::string value;
  };
  struct ReportWaiter : Waiter {
    bool first = false;
  };
  /// Requests under way, each with all who wait for it.
  using Flights = std::map<FlightId, std::vector<GetWaiter*>>;
  enum class Woken { kDone, kTimedOut, kGone };

  Woken wait(ModexLock& lock, Waiter& waiter, Deadline deadline) HAWSER_REQUIRES(mutex_);
  Woken wait_inside(ModexLock& lock, Waiter& waiter, Deadline deadline) HAWSER_REQUIRES(mutex_);
  void read_once(ModexLock& lock, Deadline deadline) HAWSER_REQUIRES(mutex_);
  bool is_over_locked() const HAWSER_REQUIRES(mutex_) { return gone_ || leaving_; }
  bool send_all(ModexLock& lock, const std::string& frame, Deadline deadline) HAWSER_REQUIRES(mutex_);
  void read_locked() HAWSER_REQUIRES(mutex_);
  bool dispatch_locked(const protocol::Frame& frame) HAWSER_REQUIRES(mutex_);
  bool on_welcome_locked(const protocol::Frame& frame) HAWSER_REQUIRES(mutex_);
  bool on_fence_done_locked(const protocol::Frame& frame) HAWSER_REQUIRES(mutex_);
  bool on_got_locked(const protocol::Frame& frame) HAWSER_REQUIRES(mutex_);
  bool on_committed_locked(const protocol::Frame& frame) HAWSER_REQUIRES(mutex_);
  bool on_reported_locked(const protocol::Frame& frame) HAWSER_REQUIRES(mutex_);
  void cache_fence_locked(const protocol::FenceDone& done, std::uint64_t id) HAWSER_REQUIRES(mutex_);
  void forget_locked(std::uint32_t rank) HAWSER_REQUIRES(mutex_);
  /// Whether the answer to that request is new enough to be joined and cached. One predicate for both.
  bool is_fresh_locked(const FlightId& id) const HAWSER_REQUIRES(mutex_) {
    return id.second >= fresh_from_[id.first];
  }
  void fly_locked(GetWaiter& waiter, bool asked_again) HAWSER_REQUIRES(mutex_);
  void unlink_locked(GetWaiter& waiter) HAWSER_REQUIRES(mutex_);
  std::optional<std::string_view> cached_locked(std::uint32_t rank, std::string_view key) const
      HAWSER_REQUIRES(mutex_);
  void lose_locked(Error error) HAWSER_REQUIRES(mutex_);
  Error gone_error_locked(std::string_view during) const HAWSER_REQUIRES(mutex_);

  const int fd_;
  btl::Job job_{};  // written by join, before anybody else has the object
  Mutex<LockRank::kModex> mutex_;
  Condition changed_;
  Channel channel_ HAWSER_GUARDED_BY(mutex_);
  bool reading_ HAWSER_GUARDED_BY(mutex_) = false;  // some waiter polls the socket
  std::optional<Error> gone_ HAWSER_GUARDED_BY(mutex_);
  bool leaving_ HAWSER_GUARDED_BY(mutex_) = false;  // nothing new is asked, and all who wait are told
  bool left_ HAWSER_GUARDED_BY(mutex_) = false;
  int inside_ HAWSER_GUARDED_BY(mutex_) = 0;  // callers that wait
  std::uint64_t next_id_ HAWSER_GUARDED_BY(mutex_) = 1;
  std::uint64_t fences_entered_ HAWSER_GUARDED_BY(mutex_) = 0;
  protocol::Blob put_ HAWSER_GUARDED_BY(mutex_);
  std::size_t put_bytes_ HAWSER_GUARDED_BY(mutex_) = 0;
  // What ranks have published, by rank and encoded; empty: it is not here. Renewed by each fence. There is
  // one of each rank in each process, and most are asked for once.
  std::vector<std::string> cache_ HAWSER_GUARDED_BY(mutex_);
  Flights flights_ HAWSER_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> fresh_from_ HAWSER_GUARDED_BY(mutex_);  // by rank: id of the first request
  std::map<std::uint64_t, FenceWaiter*> fences_ HAWSER_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Waiter*> commits_ HAWSER_GUARDED_BY(mutex_);
  std::map<std::uint64_t, ReportWaiter*> reports_ HAWSER_GUARDED_BY(mutex_);
  Waiter* hello_ HAWSER_GUARDED_BY(mutex_) = nullptr;
  Waiter* goodbye_ HAWSER_GUARDED_BY(mutex_) = nullptr;
};

/// Gives the socket back to the environment that connect() found it in, so that a later process of this rank,
/// or this one, may join again. Nothing for a socket that came from elsewhere.
void give_back_control(int fd) noexcept;

}  // namespace hawser::modex
