// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "framework/base/clock.hpp"
#include "framework/base/cpu.hpp"
#include "framework/base/mutex.hpp"

namespace hawser::tcp {

class Endpoint;

/// Sees to it that messages which wait for company on their connection go out: with the next pass of
/// progress, and if the program makes none because it computes, after `interval` (16 times that where it has
/// been of no use lately). For that there is a thread, which exists only once a program has sent messages in
/// quick succession, and which sleeps unless it does so just then. See
/// docs/decisions/small-messages-share-a-write.md.
class Flusher {
 public:
  Flusher() = default;
  ~Flusher() { stop(); }
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  /// 0: no message ever waits.
  void set_interval(std::uint64_t interval_ns) noexcept { interval_ns_ = interval_ns; }
  /// Whether messages may wait; asked for one that would. The first that ask do not, but make the thread
  /// start. Any thread.
  bool ready() noexcept {
    if (HAWSER_LIKELY(ready_.load(std::memory_order_relaxed))) return true;
    asked_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  /// Something waits at that endpoint for the next pass; it is not yet listed. Any thread; may be called with
  /// the endpoint's lock held.
  void add(Endpoint& endpoint) noexcept;
  /// After `add`: what waits was taken for done, so the thread must send it if nobody else does. Likewise.
  void call() noexcept {
    // Pairs with `run`: either this sees that the thread sleeps, or the thread sees the endpoint.
    if (HAWSER_UNLIKELY(asleep_.load(std::memory_order_seq_cst))) wake();
  }

  /// Sends what waits everywhere. How many connections took something. Progress role.
  int flush() noexcept {
    if (HAWSER_UNLIKELY(asked_.load(std::memory_order_relaxed) >= kEnough)) start();
    return HAWSER_LIKELY(waiting_.load(std::memory_order_relaxed) == nullptr) ? 0 : flush_all();
  }
  /// Nothing waits for a pass.
  bool idle() const noexcept { return waiting_.load(std::memory_order_acquire) == nullptr; }
  /// From its return on no message waits but for room. One thread.
  void stop() noexcept;

 private:
  static constexpr std::uint32_t kEnough = 64;  // messages that would have waited are worth a thread

  void start() noexcept;
  void run(std::chrono::nanoseconds interval) noexcept;
  int flush_all() noexcept;
  bool flush_from_thread() noexcept;
  void wake() noexcept;

  std::uint64_t interval_ns_ = 0;
  std::atomic<bool> ready_{false};
  std::atomic<std::uint32_t> asked_{0};
  std::atomic<bool> asleep_{false};          // the thread, or about to be
  std::atomic<bool> used_{false};            // something waited since the thread looked
  std::atomic<Endpoint*> waiting_{nullptr};  // a stack
  std::thread thread_;
  pid_t process_ = 0;  // that it runs in

  Mutex<LockRank::kLeaf> mutex_;
  Condition changed_;
  bool stopped_ HAWSER_GUARDED_BY(mutex_) = false;
};

}  // namespace hawser::tcp
