// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/engine.hpp"

#include <sched.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"
#include "framework/base/unsent.hpp"

namespace hawser::progress {

namespace {

// Asking epoll costs a system call. After an event the next is near, so every pass asks for a while; an event
// loop that has been quiet is asked so seldom that the polling of memory does not notice.
constexpr std::uint64_t kActiveNs = 1'000'000;
constexpr std::uint64_t kQuietIntervalNs = 10'000;
constexpr std::uint32_t kWaitsPerPass = 256;
constexpr std::uint32_t kWaitsPerClock = 16;

constexpr std::uint64_t kShortYieldNs = 20'000;
// About a time slice: ranks that woke each other in turn have been seen to keep a core for 1 ms.
constexpr std::uint64_t kLongYieldNs = 2'000'000;
constexpr std::uint64_t kCrowdedNs = 100'000'000;
constexpr std::uint32_t kBusyTurns =
    4;  // the role was taken so often during a yield: our threads communicate

// Between two passes that also ask clock and epoll it looks at the components alone, kLooks times. Where each
// rank has a core there are more looks as long as a turn is short: what comes then seldom meets the clock.
constexpr unsigned kMostLooks = 256;
constexpr std::uint64_t kShortTurnNs = 1'000;
// Where several threads wait they may share a core: each looks so long before it gives the core away. Nor is
// a step charged with more than that: the thread that spins lost its core in between.
constexpr std::uint64_t kFollowNs = 5'000;

// The engine whose role this thread holds. Found without a call: every wait looks at it.
[[gnu::tls_model("initial-exec")]] thread_local const Engine* t_holder_of = nullptr;
thread_local std::uint64_t t_crowded_until_ns = 0;  // others want its core: it does not yield till then

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
  Wait wait{[](void*) { return false; }, nullptr, nullptr};
  while (!try_enter()) wait_without_role(wait);
}

void Engine::leave() noexcept {
  t_holder_of = nullptr;
  role_.leave();
}

int Engine::progress() noexcept {
  // A caller that polls keeps others off the core to the end of its time slice, among them the one it waits
  // for: it gives way where it has nothing to do and threads or ranks may share a core.
  if (!try_enter()) {
    if (g_many_threads && t_holder_of != this) ::sched_yield();
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

/// What is waited for is often near, and the clock costs more than a few looks at memory. Where something
/// moves, pollers may have to see to it: they are not kept from it for long.
bool Engine::look(Wait& wait, int& moved) {
  for (unsigned i = 0; i < looks_ && (moved == 0 || i < kLooks); ++i) {
    moved += poll_components();
    if (wait.is_done()) return true;
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

void Engine::wait_slow(Wait& wait) {
  assert_no_locks_held();
  assert(t_holder_of != this && (g_many_threads || !role_.taken()) &&
         "a callback must not wait: it would wait for itself");
  for (;;) {
    if (try_enter()) {
      const bool is_done = wait_with_role(wait);
      if (is_done && HAWSER_UNLIKELY(g_unsent.load(std::memory_order_relaxed)))
        poll_components();  // the program may compute now: what callbacks sent last does not stay behind
      leave();
      if (is_done) break;
      yield(wait, now_ns());  // another thread may take the role meanwhile
    } else if (wait_without_role(wait)) {
      break;
    }
  }
  // Whoever leaves satisfied, with or without the role, sees to it that somebody polls on: it may have taken
  // the only wake-up.
  hand_over();
}

/// False: it is time to give the core away, and the role with it.
bool Engine::wait_with_role(Wait& wait) {
  int moved = 0;
  if (g_many_threads && !pass_is_due() && look(wait, moved)) return true;
  for (std::uint64_t now = now_ns();;) {
    moved += poll_pollers() + poll_loop(now);
    if (wait.is_done() || look(wait, moved)) return true;
    const std::uint64_t before = std::exchange(now, now_ns());
    suit_looks(now - before);
    wait.spent_ns = moved != 0 ? 0 : wait.spent_ns + std::min(now - before, kFollowNs);
    moved = 0;
    if (wait.spent_ns < spin_ns()) continue;
    if (may_yield(wait, now)) return false;
    if (block(wait)) return true;
    now = now_ns();
  }
}

/// Not every wait may end with its first looks: who finds all that it waits for so soon would never hear of
/// anything else. A program that computes between its waits makes few of them.
bool Engine::pass_is_due() noexcept {
  ++waits_;
  return waits_ % kWaitsPerPass == 0 ||
         (waits_ % kWaitsPerClock == 0 && now_ns() - last_poll_ns_ >= kActiveNs);
}

/// Nobody asks who holds the role: there is one thread, and it does not block meanwhile. False: a pass is due
/// first.
bool Engine::begin_looks() noexcept HAWSER_NO_ANALYSIS {
  assert_no_locks_held();
  return !pass_is_due() && role_.try_enter();
}

void Engine::suit_looks(std::uint64_t turn_ns) noexcept {
  if (turn_ns < kShortTurnNs / 2 && looks_ < kMostLooks && wait_.spin_ns != 0) looks_ *= 2;
  if (turn_ns > kShortTurnNs && looks_ > kLooks) looks_ = turn_ns > 4 * kShortTurnNs ? kLooks : looks_ / 2;
}

/// How long a wait spins before it yields. Where other threads wait too, what this one waits for may need one
/// of them, and that its core.
std::uint64_t Engine::spin_ns() const noexcept {
  return waiters_.load(std::memory_order_relaxed) == 0 ? wait_.spin_ns : std::min(wait_.spin_ns, kFollowNs);
}

bool Engine::may_yield(const Wait& wait, std::uint64_t now) const noexcept {
  return wait.spent_ns < wait_.spin_ns + wait_.yield_ns && now >= t_crowded_until_ns;
}

/// A thread that gives its core to one that computes has it back after a time slice; one that blocks has it
/// back when something comes. So once a yield took that long, waits block without one for a while. Not so if
/// other threads of ours had the core, and communicated.
void Engine::yield(Wait& wait, std::uint64_t now) noexcept {
  const std::uint32_t turns = turns_.load(std::memory_order_relaxed);
  ::sched_yield();
  const std::uint64_t back = now_ns();
  const std::uint64_t away = back - now;
  if (away >= kShortYieldNs && turns_.load(std::memory_order_relaxed) - turns >= kBusyTurns) return;
  wait.spent_ns += away;
  if (away >= kLongYieldNs) t_crowded_until_ns = back + kCrowdedNs;
}

/// True: done.
bool Engine::block(Wait& wait) noexcept {
  HAWSER_HOOK("engine.before_block");
  // Pairs with completed_slow and wake: whoever makes something ready and then finds `blocked_` false did so
  // before the store, and the looks below see it.
  blocked_.store(true, std::memory_order_seq_cst);
  fences_.before_sleep();
  const bool calm = arm_components();
  int moved = poll_pollers();
  bool is_done = wait.is_done();
  if (calm && moved == 0 && !is_done) {
    asleep_->store(1, std::memory_order_relaxed);
    EventLoop::Ready ready;
    loop_.wait(wait_.longest_block_ms, ready);
    asleep_->store(0, std::memory_order_relaxed);
    // What rang is often for what lies in memory: the bell itself can be taken in later.
    moved = poll_components();
    is_done = wait.is_done();
    if (!is_done) {
      const int ran = loop_.run(ready);
      if (ran != 0) last_event_ns_ = now_ns();
      moved += ran;
      is_done = wait.is_done();
    }
  }
  disarm_components();
  blocked_.store(false, std::memory_order_relaxed);
  if (!calm || moved != 0) wait.spent_ns = 0;
  return is_done;
}

bool Engine::arm_components() noexcept {
  bool calm = true;
  for (btl::Component* component : components_) calm = component->arm() && calm;
  for (const Poller& poller : pollers_) calm = (!poller.arm || poller.arm(poller.context)) && calm;
  return calm;
}

void Engine::disarm_components() noexcept {
  for (btl::Component* component : components_) component->disarm();
  for (const Poller& poller : pollers_) {
    if (poller.disarm) poller.disarm(poller.context);
  }
}

/// True: done. False: the role may be free.
bool Engine::wait_without_role(Wait& wait) noexcept {
  waiters_.fetch_add(1, std::memory_order_relaxed);
  bool is_done = follow(wait);
  if (!is_done) is_done = role_.taken() ? sleep(wait) : wait.is_done();
  waiters_.fetch_sub(1, std::memory_order_relaxed);
  return is_done;
}

/// Without sleeping: what the holder completes is often near. Whether it has a core of its own nobody knows,
/// so it soon gets this one.
bool Engine::follow(Wait& wait) noexcept {
  for (std::uint64_t now = now_ns(); role_.taken();) {
    if (wait.is_done()) return true;
    if (wait.spent_ns < spin_ns()) {
      cpu_relax();
      const std::uint64_t before = std::exchange(now, now_ns());
      wait.spent_ns += std::min(now - before, kFollowNs);
    } else if (may_yield(wait, now)) {
      yield(wait, now);
      now = now_ns();
    } else {
      return false;
    }
  }
  return false;
}

bool Engine::sleep(Wait& wait) noexcept {
  HAWSER_HOOK("engine.before_sleep");
  // Pairs with completed_slow and hand_over: either they find this sleeper, or this thread sees their
  // completion or the free role. Who finds it ends its sleep, also one that has not begun.
  Sleepers::Sleeper self;
  const void* awaited = nullptr;
  bool is_done = false;
  do {
    awaited = wait.awaits();
    sleepers_.add(self, awaited);
    fences_.before_sleep();
    is_done = wait.is_done();  // if not, it may wait for another one now
  } while (!is_done && wait.awaits() != awaited);
  if (!is_done && role_.taken()) {
    HAWSER_HOOK("engine.asleep");
    self.sleep(wait_.longest_sleep_ns);
    is_done = wait.is_done();
  }
  sleepers_.remove(self);
  return is_done;
}

void Engine::completed_slow(const void* what) noexcept {
  // Pairs with those in sleep, block and arm_for_watch.
  fences_.hot();
  if (HAWSER_UNLIKELY(sleepers_.any())) sleepers_.wake(what);
  wake_poller();
}

void Engine::wake() noexcept {
  fences_.hot();  // pairs with those in block and arm_for_watch
  wake_poller();
}

void Engine::wake_poller() noexcept {
  const bool asleep = blocked_.load(std::memory_order_relaxed) ||
                      attendant_.load(std::memory_order_relaxed) == Attendant::kWatches;
  if (asleep && t_holder_of != this) loop_.wake();
}

void Engine::hand_over() noexcept {
  if (!g_many_threads) return;
  fences_.hot();  // pairs with those in sleep and stand_by
  if (role_.taken()) return;
  if (HAWSER_UNLIKELY(sleepers_.any())) {
    sleepers_.wake_one();  // who hands over in its turn
  } else if (attendant_.load(std::memory_order_relaxed) == Attendant::kStandsBy) {
    wake_attendant();
  }
}

}  // namespace hawser::progress
