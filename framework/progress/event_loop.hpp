// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "framework/base/fd.hpp"
#include "framework/base/mutex.hpp"
#include "framework/base/result.hpp"
#include "framework/btl/host.hpp"
#include "framework/progress/timers.hpp"

namespace hawser::progress {

/// epoll, timers and a wake-up, for the progress role. Registrations may come from any thread, also from
/// inside a callback; callbacks run in the progress role with no lock held.
class EventLoop {
 public:
  EventLoop();
  ~EventLoop();

  /// Level-triggered. kInvalid: the descriptor is watched already; kOutOfMemory, kSystem: as the system says.
  Errc watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept;
  Errc rewatch(int fd, std::uint32_t events) noexcept;
  /// Before the descriptor is closed. No call comes after this returns in the progress role; from elsewhere
  /// one may still be running.
  void unwatch(int fd) noexcept;
  /// As btl::Host::call_at.
  std::uint64_t call_at(std::uint64_t at_ns, void (*function)(void*) noexcept, void* context) noexcept;
  bool cancel_call(std::uint64_t id) noexcept;

  /// A call that its owner sets as often as it likes, which takes no memory and so cannot fail. The loop
  /// outlives it.
  class Timer {
   public:
    Timer(EventLoop& loop, void (*function)(void*) noexcept, void* context);
    /// As unwatch: from elsewhere than the progress role, the call may still be running.
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    /// The call comes at that time; if one is due before, with that one. Any thread.
    void set(std::uint64_t at_ns) noexcept;

   private:
    EventLoop& loop_;
    std::uint64_t id_;
  };

  /// Ends the wait in `run`, or the next one that would begin.
  void wake() noexcept;

  /// What a wait found ready, and nobody has run. It may be dropped: it stays ready, and the next wait finds
  /// it.
  struct Ready {
    static constexpr int kMost = 64;
    int count = 0;
    epoll_event events[kMost];
  };
  /// The two halves of `run`. Progress role only.
  void wait(int timeout_ms, Ready& ready) noexcept;
  int run(const Ready& ready) noexcept;
  /// Runs what is due; waits for it up to `timeout_ms` (0: not at all, -1: until something comes). Progress
  /// role only. How many callbacks ran.
  int run(int timeout_ms) noexcept;
  /// Sleeps until there is something for `run`, `other_fd` is readable, or `timeout_ms` are over (-1: never);
  /// runs nothing. True: `other_fd` is. Any thread.
  bool await(int other_fd, int timeout_ms) noexcept;
  /// Watched descriptors, without our own.
  std::size_t watched() const noexcept { return watched_.load(std::memory_order_relaxed); }
  bool has_timers() const noexcept {
    return next_timer_ns_.load(std::memory_order_relaxed) != Timers::kNever;
  }

 private:
  struct Watch {
    std::uint32_t generation;  // tells a watch from an older one on a descriptor of the same number
    btl::WatchFunction function;
    void* context;
  };

  bool dispatch(std::uint64_t key, std::uint32_t events) noexcept;
  int run_timers() noexcept;
  int timeout_for(int timeout_ms) const noexcept;
  void wake_for(std::uint64_t at_ns) noexcept;
  void note_next_timer() noexcept HAWSER_REQUIRES(mutex_);

  Fd epoll_;
  Fd wake_;
  Mutex<LockRank::kEventLoop> mutex_;
  std::unordered_map<int, Watch> watches_ HAWSER_GUARDED_BY(mutex_);
  std::uint32_t next_generation_ HAWSER_GUARDED_BY(mutex_) = 0;
  Timers timers_ HAWSER_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> next_timer_ns_{Timers::kNever};
  std::atomic<int> sleeping_{0};  // threads in epoll_wait or poll, or about to be; pairs with next_timer_ns_
  std::atomic<std::size_t> watched_{0};
};

}  // namespace hawser::progress
