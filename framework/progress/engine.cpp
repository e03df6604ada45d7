// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/engine.hpp"

#include <sched.h>

#include <algorithm>
#include <cassert>
#include <climits>

#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"
#include "framework/progress/futex.hpp"

namespace hawser::progress {

namespace {

// Asking epoll costs a system call. After an event the next is near, so every pass asks for a while; an event
// loop that has been quiet is asked so seldom that the polling of memory does not notice.
constexpr std::uint64_t kActiveNs = 1'000'000;
constexpr std::uint64_t kQuietIntervalNs = 10'000;

constexpr std::uint64_t kLongYieldNs = 500'000;
constexpr std::uint64_t kCrowdedNs = 100'000'000;

constexpr unsigned kLooks = 16;  // at the components alone, between two passes that also ask clock and epoll
constexpr std::uint64_t kFollowNs = 5'000;  // a thread without the role looks so long before it sleeps

thread_local const Engine* t_holder_of = nullptr;   // the engine whose role this thread holds
thread_local std::uint64_t t_crowded_until_ns = 0;  // others want its core: it does not yield till then

// A thread that gives its core to one that computes has it back after a time slice; one that blocks has it
// back when something comes. So once a yield took that long, waits block without one for a while.
void yield(std::uint64_t now) noexcept {
  ::sched_yield();
  const std::uint64_t back = now_ns();
  if (back - now >= kLongYieldNs) t_crowded_until_ns = back + kCrowdedNs;
}

}  // namespace

Engine::Engine() = default;
Engine::~Engine() = default;

void Engine::add_component(btl::Component& component) {
  enter();
  components_.push_back(&component);
  leave();
  hand_over();
}
void Engine::clear_components() {
  enter();
  components_.clear();
  leave();
  hand_over();
}
void Engine::add_poller(Poller poller) {
  enter();
  pollers_.push_back(poller);
  leave();
  hand_over();
}
void Engine::remove_poller(void* context) {
  enter();
  std::erase_if(pollers_, [&](const Poller& p) { return p.context == context; });
  leave();
  hand_over();
}

bool Engine::try_enter() noexcept {
  if (!role_.try_enter()) return false;
  t_holder_of = this;
  turns_.store(turns_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (HAWSER_UNLIKELY(left_armed_)) take_over_watch();
  return true;
}

void Engine::enter() noexcept HAWSER_NO_ANALYSIS {
  assert(t_holder_of != this && "a callback must not change what is polled");
  while (!try_enter()) wait_without_role([](void*) { return false; }, nullptr);
}

void Engine::leave() noexcept {
  t_holder_of = nullptr;
  role_.leave();
}

int Engine::progress() noexcept {
  // A caller that polls keeps others off the core to the end of its time slice, among them the one it waits
  // for: it gives way where it has nothing to do and threads or ranks may share a core.
  if (!try_enter()) {
    if (t_holder_of != this) ::sched_yield();
    return 0;
  }
  const int moved = pass(now_ns());
  leave();
  hand_over();
  if (moved == 0 && (wait_.spin_ns == 0 || g_many_threads)) ::sched_yield();
  return moved;
}

int Engine::pass(std::uint64_t now) noexcept {
  assert_no_locks_held();
  const int moved = poll_components();
  return moved + poll_pollers() + poll_loop(now);
}

int Engine::poll_components() noexcept {
  int moved = 0;
  for (btl::Component* component : components_) moved += component->progress();
  return moved;
}

/// What is waited for is often near, and the clock costs more than a few looks at memory.
bool Engine::look(DoneFunction done, void* context, int& moved) {
  for (unsigned i = 0; i < kLooks; ++i) {
    moved += poll_components();
    if (done(context)) return true;
  }
  return false;
}

int Engine::poll_pollers() noexcept {
  int moved = 0;
  for (const Poller& poller : pollers_) moved += poller.poll(poller.context);
  return moved;
}

int Engine::poll_loop(std::uint64_t now) noexcept {
  if (now - last_event_ns_ >= kActiveNs && now - last_poll_ns_ < kQuietIntervalNs) return 0;
  last_poll_ns_ = now;
  const int ran = loop_.run(0);
  if (ran != 0) last_event_ns_ = now;
  return ran;
}

void Engine::wait_slow(DoneFunction done, void* context) {
  assert_no_locks_held();
  assert(t_holder_of != this && "a callback must not wait: it would wait for itself");
  do {
    if (try_enter()) {
      wait_with_role(done, context);
      leave();
      break;
    }
  } while (!wait_without_role(done, context));
  // Whoever leaves satisfied, with or without the role, sees to it that somebody polls on: it may have taken
  // the only wake-up.
  hand_over();
}

void Engine::wait_with_role(DoneFunction done, void* context) {
  int moved = 0;
  if (look(done, context, moved)) return;
  std::uint64_t now = now_ns();
  for (std::uint64_t quiet_since = now;;) {
    moved = poll_pollers() + poll_loop(now);
    if (done(context) || look(done, context, moved)) return;
    now = now_ns();
    if (moved == 0 && now - quiet_since >= wait_.spin_ns) {
      if (now - quiet_since < wait_.spin_ns + wait_.yield_ns && now >= t_crowded_until_ns) {
        yield(now);
      } else {
        moved = block(done, context);
        now = now_ns();
        if (done(context)) return;
      }
    }
    if (moved != 0) quiet_since = now;
  }
}

int Engine::block(DoneFunction done, void* context) noexcept {
  HAWSER_HOOK("engine.before_block");
  // Pairs with completed_slow and wake: whoever makes something ready and then finds `blocked_` false did so
  // before the store, and the looks below see it.
  blocked_.store(true, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const bool calm = arm_components();
  int moved = poll_pollers();
  if (calm && moved == 0 && !done(context)) {
    moved = loop_.run(wait_.longest_block_ms);
    if (moved != 0) last_event_ns_ = now_ns();
  }
  disarm_components();
  blocked_.store(false, std::memory_order_relaxed);
  return calm ? moved : 1;
}

bool Engine::arm_components() noexcept {
  bool calm = true;
  for (btl::Component* component : components_) calm = component->arm() && calm;
  return calm;
}

void Engine::disarm_components() noexcept {
  for (btl::Component* component : components_) component->disarm();
}

bool Engine::wait_without_role(DoneFunction done, void* context) noexcept {
  if (follow(done, context)) return true;
  if (!role_.taken()) return done(context);
  HAWSER_HOOK("engine.before_sleep");
  // Pairs with completed_slow and hand_over: either they see this sleeper, or this thread sees their
  // completion or the free role. A wake-up between the load of the generation and the sleep makes the futex
  // refuse to sleep.
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t seen = generation_.load(std::memory_order_acquire);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  bool is_done = done(context);
  if (!is_done && role_.taken()) {
    sleep_until_changed(seen);
    is_done = done(context);
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  return is_done;
}

void Engine::sleep_until_changed(std::uint32_t seen) noexcept {
  futex_wait(generation_, seen, wait_.longest_sleep_ns);
}

// The holder is on a core of its own if waiting spins at all: what it completes is often seen without
// sleeping.
bool Engine::follow(DoneFunction done, void* context) noexcept {
  if (wait_.spin_ns == 0) return false;
  const std::uint64_t until = now_ns() + std::min(kFollowNs, wait_.spin_ns);
  while (role_.taken() && now_ns() < until) {
    if (done(context)) return true;
    cpu_relax();
  }
  return false;
}

void Engine::completed_slow() noexcept {
  // Pairs with those in wait_without_role, block and arm_for_watch.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_relaxed) != 0) wake_sleepers(INT_MAX);
  wake_poller();
}

void Engine::wake() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with those in block and arm_for_watch
  wake_poller();
}

void Engine::wake_poller() noexcept {
  const bool asleep = blocked_.load(std::memory_order_relaxed) ||
                      attendant_.load(std::memory_order_relaxed) == Attendant::kWatches;
  if (asleep && t_holder_of != this) loop_.wake();
}

void Engine::hand_over() noexcept {
  if (!g_many_threads) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with those in wait_without_role and stand_by
  if (role_.taken()) return;
  if (sleepers_.load(std::memory_order_relaxed) != 0) {
    wake_sleepers(1);  // who hands over in its turn
  } else if (attendant_.load(std::memory_order_relaxed) == Attendant::kStandsBy) {
    wake_attendant();
  }
}

void Engine::wake_sleepers(int count) noexcept {
  generation_.fetch_add(1, std::memory_order_release);
  futex_wake(generation_, count);
}

}  // namespace hawser::progress
