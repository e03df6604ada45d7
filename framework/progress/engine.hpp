// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "framework/base/fd.hpp"
#include "framework/base/result.hpp"
#include "framework/base/thread_role.hpp"
#include "framework/base/unsent.hpp"
#include "framework/btl/component.hpp"
#include "framework/progress/event_loop.hpp"
#include "framework/progress/fence_pair.hpp"
#include "framework/progress/sleepers.hpp"

namespace hawser::progress {

/// Something else to poll: the BML's pending work, non-blocking collectives. Progress role only. Gives how
/// much it moved. Optional: what components do before and after a block (btl::Component::arm, disarm).
struct Poller {
  int (*poll)(void* context) noexcept;
  void* context;
  bool (*arm)(void* context) noexcept = nullptr;
  void (*disarm)(void* context) noexcept = nullptr;
};

inline constexpr std::uint64_t kForever = UINT64_MAX;

struct WaitParams {
  std::uint64_t spin_ns;   // spin so long before yielding
  std::uint64_t yield_ns;  // then yield so long before blocking
  // No wake-up depends on these two: they bound what an error elsewhere can cost. Tests set them to for ever.
  int longest_block_ms = 1000;  // the role's holder looks again at least so often; -1: for ever
  std::uint64_t longest_sleep_ns = 5'000'000;  // other threads likewise; kForever: for ever
};

/// How a rank waits when the user does not say: with a core for each rank it polls for a while; with fewer it
/// gives the core away at once, since what it waits for may need it.
constexpr WaitParams default_wait(std::uint32_t local_ranks, std::uint32_t cores) noexcept {
  if (local_ranks <= cores) return {.spin_ns = 50'000, .yield_ns = 50'000};
  return {.spin_ns = 0, .yield_ns = 10'000};
}

/// Of a wait that has no place of its own to look at.
struct NothingToTake {
  bool operator()(unsigned) const noexcept { return false; }
};

/// Moves everything: polls components, pollers and the event loop, and lets threads wait. One per process.
///
/// Any thread may call `progress` and `wait_until`; the role is tried, never waited for. Threads that do not
/// get it sleep until something completes or the role is free. Callbacks run with no lock held, and must not
/// wait. How waiting works: docs/threads-and-locks.md.
class Engine {
 public:
  Engine();
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // --- start-up and shutdown only; the attendant may run, but not for set_wait
  void set_wait(WaitParams params) noexcept { wait_ = params; }
  /// Where others see that the role's holder blocks: 1 while it does. Lives as long as the engine.
  void show_sleep(std::atomic<std::uint32_t>& asleep) noexcept { asleep_ = &asleep; }
  const WaitParams& wait_params() const noexcept { return wait_; }
  void add_component(btl::Component& component);
  void add_poller(Poller poller);
  void remove_poller(void* context);
  void clear_components();

  // --- the attendant: a thread that polls while no other does (progress_thread.hpp). One at a time.
  /// Before `attend`, from the thread that starts it. An error: no descriptor is left.
  Result<void> prepare_attendant();
  /// The attendant's body; returns after `dismiss_attendant`. It gives way to every other thread: one that
  /// wants the role gets it at once while the attendant sleeps, and after the pass under way if it polls.
  void attend() noexcept;
  void dismiss_attendant() noexcept;
  /// How often it fell asleep over armed components, and what it moved.
  std::uint64_t watches() const noexcept { return watches_.load(std::memory_order_relaxed); }
  std::uint64_t attended() const noexcept { return attended_.load(std::memory_order_relaxed); }

  EventLoop& loop() noexcept { return loop_; }
  ThreadRole& role() noexcept { return role_; }

  /// One pass if the role is free. How much was moved.
  int progress() noexcept;

  /// Returns when `done()` is true: spins, then yields, then blocks. `done` is called with no lock held,
  /// often, by this thread only, and not again once it was true (it may take what it finds); what it looks at
  /// is announced with `completed`, or is looked at again within a second. `awaited`: where `done` leaves
  /// which completion it needs next, so that no other wakes the thread; null, or null left there: any. `take`
  /// looks so many times, as it is told, where that which is waited for may be found before any component is
  /// asked; true: it was, and `done()` is. Called in the progress role, and only while there is one thread.
  template <class Done, class Take = NothingToTake>
  HAWSER_INLINE void wait_until(Done&& done, const void* const* awaited = nullptr, Take&& take = {}) {
    if (done()) return;
    if (HAWSER_LIKELY(!g_many_threads) && look_alone(done, take)) return;
    Wait wait{[](void* context) {
                return static_cast<bool>((*static_cast<std::remove_reference_t<Done>*>(context))());
              },
              &done, awaited};
    wait_slow(wait);
  }

  /// Something completed that a waiting thread may look for. Called after the completion is visible. `what`
  /// is compared with what threads await, and need not exist any more; null: it may be what any thread waits
  /// for.
  void completed(const void* what = nullptr) noexcept {
    if (g_many_threads) completed_slow(what);
  }
  /// Ends a block of the role's holder, from any thread: there is something to poll.
  void wake() noexcept;

 private:
  using DoneFunction = bool (*)(void* context);
  /// One thread's wait.
  struct Wait {
    DoneFunction done;
    void* context;
    const void* const* awaited;
    std::uint64_t spent_ns = 0;  // of its patience, since something moved last

    bool is_done() const { return done(context); }
    const void* awaits() const noexcept { return awaited ? *awaited : nullptr; }
  };
  // What the attendant does. A futex.
  enum class Attendant : std::uint32_t {
    kAwake,     // polls, or looks at intervals whether others do; or there is none
    kStandsBy,  // asleep until whoever has the role leaves it
    kWatches,   // asleep until something is ready, with components armed and without the role
    kDismissed,
  };
  /// The only thread there is looks at the components for a while, before anything else is done for its wait:
  /// what it waits for is mostly that near. True: it is done.
  template <class Done, class Take>
  HAWSER_INLINE bool look_alone(Done& done, Take& take) {
    if (!begin_looks()) return false;
    constexpr unsigned kAtOnce = std::is_same_v<Take, NothingToTake> ? 1 : kTakes;
    bool is_done = take(1);
    // Who comes late each time would else never poll: what others wait for is not put off for long.
    if (is_done && waits_ % kWaitsPerPoll == 0) poll_components();
    int moved = 0;
    for (unsigned i = 0; !is_done && i < looks_ && (moved == 0 || i < kLooks); i += kAtOnce) {
      moved += poll_components();
      is_done = done() || take(kAtOnce);
    }
    if (is_done && HAWSER_UNLIKELY(g_unsent.load(std::memory_order_relaxed))) poll_components();
    role_.leave();
    return is_done;
  }
  bool begin_looks() noexcept HAWSER_TRY_ACQUIRE(true, role_);
  void wait_slow(Wait& wait);
  bool wait_with_role(Wait& wait) HAWSER_REQUIRES(role_);
  bool wait_without_role(Wait& wait) noexcept;
  bool follow(Wait& wait) noexcept;
  bool sleep(Wait& wait) noexcept;
  bool block(Wait& wait) noexcept HAWSER_REQUIRES(role_);
  std::uint64_t spin_ns() const noexcept;
  bool may_yield(const Wait& wait, std::uint64_t now) const noexcept;
  void yield(Wait& wait, std::uint64_t now) noexcept;
  int pass(std::uint64_t now) noexcept HAWSER_REQUIRES(role_);
  HAWSER_INLINE int poll_components() noexcept HAWSER_REQUIRES(role_) {
    int moved = 0;
    for (btl::Component* component : components_) moved += component->progress();
    return moved;
  }
  bool look(Wait& wait, int& moved) HAWSER_REQUIRES(role_);
  bool pass_is_due() noexcept HAWSER_REQUIRES(role_);
  void suit_looks(std::uint64_t turn_ns) noexcept HAWSER_REQUIRES(role_);
  int poll_loop(std::uint64_t now) noexcept HAWSER_REQUIRES(role_);
  int poll_pollers() noexcept HAWSER_REQUIRES(role_);
  bool try_enter() noexcept HAWSER_TRY_ACQUIRE(true, role_);
  void leave() noexcept HAWSER_RELEASE(role_);
  void completed_slow(const void* what) noexcept;
  void hand_over() noexcept;
  void enter() noexcept HAWSER_ACQUIRE(role_);
  bool arm_components() noexcept HAWSER_REQUIRES(role_);
  void disarm_components() noexcept HAWSER_REQUIRES(role_);
  void take_over_watch() noexcept HAWSER_REQUIRES(role_);
  bool serve() noexcept HAWSER_REQUIRES(role_);
  bool arm_for_watch() noexcept HAWSER_REQUIRES(role_);
  bool watch() noexcept;
  void stand_by() noexcept;
  bool turn_to(Attendant from, Attendant to) noexcept;
  bool dismissed() const noexcept {
    return attendant_.load(std::memory_order_acquire) == Attendant::kDismissed;
  }
  void wake_attendant() noexcept;
  void wake_poller() noexcept;

  ThreadRole role_;
  EventLoop loop_;
  const FencePair fences_;
  WaitParams wait_ = default_wait(1, 1);
  std::atomic<std::uint32_t> unseen_{0};
  std::atomic<std::uint32_t>* asleep_ = &unseen_;
  Fd nudge_;  // ends the attendant's watch
  // The role's own:
  std::vector<btl::Component*> components_ HAWSER_GUARDED_BY(role_);
  std::vector<Poller> pollers_ HAWSER_GUARDED_BY(role_);
  std::uint64_t last_event_ns_ HAWSER_GUARDED_BY(role_) = 0;  // when the event loop last gave something
  std::uint64_t last_poll_ns_ HAWSER_GUARDED_BY(role_) = 0;   // and when it was last asked
  std::uint32_t waits_ HAWSER_GUARDED_BY(role_) = 0;
  static constexpr unsigned kLooks = 16;
  static constexpr unsigned kTakes = 8;               // looks of a wait's own to one at the components
  static constexpr unsigned kWaitsPerPoll = 4;        // that end with their first look
  unsigned looks_ HAWSER_GUARDED_BY(role_) = kLooks;  // without a look at the clock between them
  bool left_armed_ HAWSER_GUARDED_BY(role_) = false;  // components are armed: the attendant watches
  bool nudged_ HAWSER_GUARDED_BY(role_) = false;      // the nudge is to be taken back
  std::atomic<std::uint32_t> turns_{0};               // times the role was taken; its holder writes
  std::atomic<std::uint64_t> watches_{0};             // the attendant writes these two
  std::atomic<std::uint64_t> attended_{0};
  alignas(kCacheLine) Sleepers sleepers_;  // threads of the program that sleep without the role
  std::atomic<std::uint32_t> waiters_{0};  // these, and those that look and yield without it
  std::atomic<bool> blocked_{false};       // the role's holder sleeps in epoll, or is about to
  std::atomic<Attendant> attendant_{Attendant::kAwake};
};

}  // namespace hawser::progress
