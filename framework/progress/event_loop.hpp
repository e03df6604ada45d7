// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "framework/base/fd.hpp"
#include "framework/base/mutex.hpp"
#include "framework/base/result.hpp"
#include "framework/btl/host.hpp"

namespace hawser::progress {

/// epoll, timers and a wake-up, for the progress role. Registrations may come from any thread.
class EventLoop {
 public:
  EventLoop();
  ~EventLoop();

  Errc watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept;
  Errc rewatch(int fd, std::uint32_t events) noexcept;
  void unwatch(int fd) noexcept;
  std::uint64_t call_at(std::uint64_t at_ns, void (*function)(void*) noexcept, void* context) noexcept;
  bool cancel_call(std::uint64_t id) noexcept;
  void wake() noexcept;

  /// Runs what is due; waits for it up to `timeout_ms` (0: not at all, -1: until something comes). Progress role
  /// only. How many callbacks ran.
  int run(int timeout_ms) noexcept;
  /// Watched descriptors, without our own.
  std::size_t watched() const noexcept { return watched_.load(std::memory_order_relaxed); }
  bool has_timers() const noexcept { return next_timer_ns_.load(std::memory_order_relaxed) != UINT64_MAX; }

 private:
  struct Watch {
    int fd;
    btl::WatchFunction function;
    void* context;
    bool dead;
  };
  struct Timer {
    std::uint64_t id;
    void (*function)(void*) noexcept;
    void* context;
  };
  int run_timers() noexcept;
  int timeout_for(int timeout_ms) noexcept;
  void bury() noexcept;

  Fd epoll_;
  Fd wake_;
  Mutex<LockRank::kEventLoop> mutex_;
  std::unordered_map<int, std::unique_ptr<Watch>> watches_ HAWSER_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Watch>> graveyard_ HAWSER_GUARDED_BY(mutex_);  // freed between two runs
  std::multimap<std::uint64_t, Timer> timers_ HAWSER_GUARDED_BY(mutex_);
  std::uint64_t next_id_ HAWSER_GUARDED_BY(mutex_) = 1;
  std::atomic<std::uint64_t> next_timer_ns_{UINT64_MAX};
  std::atomic<std::size_t> watched_{0};
};

}  // namespace hawser::progress
