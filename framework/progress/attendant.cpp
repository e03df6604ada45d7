// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The engine's attendant: who polls while the program computes. While it sleeps the role is free, so that a
// thread of the program takes it without waiting for anybody.
#include <sys/eventfd.h>

#include <cerrno>
#include <climits>

#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"
#include "framework/progress/engine.hpp"
#include "framework/progress/futex.hpp"

namespace hawser::progress {

namespace {
// A program that polls at all does so more often than this; one that did not for so long computes.
constexpr std::uint64_t kIntervalNs = 1'000'000;
}  // namespace

Result<void> Engine::prepare_attendant() {
  nudge_ = Fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!nudge_)
    return system_error("no descriptor for the progress thread (raise the limit, ulimit -n): eventfd", errno);
  attendant_.store(Attendant::kAwake, std::memory_order_relaxed);
  return {};
}

void Engine::attend() noexcept {
  std::uint32_t seen = turns_.load(std::memory_order_relaxed);
  bool called = true;  // there may be something to poll, and nobody else took it on
  while (!dismissed()) {
    if (role_.taken()) {
      stand_by();
      called = false;
      continue;
    }
    const std::uint32_t turns = turns_.load(std::memory_order_relaxed);
    if (!called && turns != seen) {  // others poll now and then: they are left alone
      seen = turns;
      futex_wait(attendant_, Attendant::kAwake, kIntervalNs);
      continue;
    }
    called = false;
    if (!try_enter()) continue;
    const bool armed = serve();
    leave();
    hand_over();
    if (armed) called = watch();
  }
}

/// Polls until there is nothing to do; true: then the components are armed. False: another thread wants the
/// role.
bool Engine::serve() noexcept {
  std::uint64_t now = last_event_ns_ = now_ns();  // the event loop is asked at once
  do {
    for (int moved = 1; moved != 0; now = now_ns()) {
      moved = pass(now);
      attended_.fetch_add(static_cast<std::uint64_t>(moved), std::memory_order_relaxed);
      if (waiters_.load(std::memory_order_relaxed) != 0 || dismissed()) return false;
    }
  } while (!arm_for_watch());
  return true;
}

bool Engine::arm_for_watch() noexcept {
  HAWSER_HOOK("engine.before_watch");
  if (nudged_) {
    std::uint64_t count;
    retry_eintr([&] { return ::read(nudge_.get(), &count, sizeof count); });
    nudged_ = false;
  }
  // As in block: whoever makes something ready and does not find kWatches did so before it was said.
  if (!turn_to(Attendant::kAwake, Attendant::kWatches)) return false;
  fences_.before_sleep();
  left_armed_ = arm_components();
  if (left_armed_ && poll_pollers() == 0) return true;
  disarm_components();
  left_armed_ = false;
  turn_to(Attendant::kWatches, Attendant::kAwake);
  return false;
}

/// False: another thread took the role, and polls.
bool Engine::watch() noexcept {
  watches_.fetch_add(1, std::memory_order_relaxed);
  const bool nudged = loop_.await(nudge_.get(), wait_.longest_block_ms);
  turn_to(Attendant::kWatches, Attendant::kAwake);
  return !nudged;
}

/// A thread takes the role that the attendant left: it polls itself, so nobody need ring, and it will not arm
/// again when it leaves, so the attendant must look after it.
void Engine::take_over_watch() noexcept {
  disarm_components();
  left_armed_ = false;
  if (attendant_.load(std::memory_order_relaxed) != Attendant::kWatches) return;
  nudged_ = true;
  const std::uint64_t one = 1;
  retry_eintr([&] { return ::write(nudge_.get(), &one, sizeof one); });
}

void Engine::stand_by() noexcept {
  HAWSER_HOOK("engine.before_stand_by");
  // Pairs with hand_over: either it sees that the attendant stands by, or this sees the free role.
  if (!turn_to(Attendant::kAwake, Attendant::kStandsBy)) return;
  fences_.before_sleep();
  const auto longest_ms = static_cast<std::uint64_t>(wait_.longest_block_ms);
  if (role_.taken()) {
    futex_wait(attendant_, Attendant::kStandsBy,
               wait_.longest_block_ms < 0 ? kForever : longest_ms * 1'000'000);
  }
  turn_to(Attendant::kStandsBy, Attendant::kAwake);
}

bool Engine::turn_to(Attendant from, Attendant to) noexcept {
  return attendant_.compare_exchange_strong(from, to, std::memory_order_seq_cst);
}

void Engine::wake_attendant() noexcept {
  if (turn_to(Attendant::kStandsBy, Attendant::kAwake)) futex_wake(attendant_, INT_MAX);
}

void Engine::dismiss_attendant() noexcept {
  attendant_.store(Attendant::kDismissed, std::memory_order_seq_cst);
  futex_wake(attendant_, INT_MAX);
  const std::uint64_t one = 1;
  retry_eintr([&] { return ::write(nudge_.get(), &one, sizeof one); });
}

}  // namespace hawser::progress
