// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "framework/base/thread_role.hpp"
#include "framework/btl/component.hpp"
#include "framework/progress/event_loop.hpp"

namespace hawser::progress {

/// Something else to poll: the BML's pending work, non-blocking collectives. Progress role only.
struct Poller {
  int (*poll)(void* context) noexcept;
  void* context;
};

struct WaitParams {
  std::uint64_t spin_ns;   // spin so long before yielding
  std::uint64_t yield_ns;  // then yield so long before blocking
};

/// Moves everything: polls components, pollers and the event loop, and lets threads wait. One per process.
///
/// Any thread may call `progress` and `wait_until`; the role is tried, never waited for. Threads that do not get
/// it sleep until something completes or the role is free.
class Engine {
 public:
  Engine();
  ~Engine();

  // --- start-up and shutdown only
  void set_wait(WaitParams params) noexcept { wait_ = params; }
  const WaitParams& wait_params() const noexcept { return wait_; }
  void add_component(btl::Component& component);
  void add_poller(Poller poller);
  void remove_poller(void* context);
  void clear_components();

  EventLoop& loop() noexcept { return loop_; }
  ThreadRole& role() noexcept { return role_; }

  /// One pass if the role is free. How much was moved.
  int progress() noexcept;

  /// Returns when `done()` is true: spins, then yields, then blocks. `done` is called with no lock held, often.
  template <class Done>
  void wait_until(Done&& done) {
    if (done()) return;
    wait_slow([](void* context) { return static_cast<bool>((*static_cast<std::remove_reference_t<Done>*>(context))()); },
              &done);
  }

  /// Something completed that a waiting thread may look for. Called after the completion is visible.
  void completed() noexcept {
    if (g_many_threads) completed_slow();
  }
  /// Ends a block of the role's holder, from any thread: there is something to poll.
  void wake() noexcept { loop_.wake(); }

 private:
  using DoneFunction = bool (*)(void* context);
  void wait_slow(DoneFunction done, void* context);
  bool wait_with_role(DoneFunction done, void* context, std::uint64_t since_ns) HAWSER_REQUIRES(role_);
  void wait_without_role(DoneFunction done, void* context);
  void block(DoneFunction done, void* context) HAWSER_REQUIRES(role_);
  int pass() noexcept HAWSER_REQUIRES(role_);
  void completed_slow() noexcept;
  void leave_role() noexcept;

  ThreadRole role_;
  EventLoop loop_;
  WaitParams wait_{};
  std::vector<btl::Component*> components_;
  std::vector<Poller> pollers_;
  unsigned quiet_passes_ = 0;  // the role's own: how long the event loop gave nothing
  alignas(kCacheLine) std::atomic<std::uint32_t> generation_{0};  // futex: completions and role hand-overs
  std::atomic<std::uint32_t> sleepers_{0};                        // threads asleep on it, or about to be
  std::atomic<bool> blocked_{false};                              // the role's holder sleeps in epoll
};

}  // namespace hawser::progress
