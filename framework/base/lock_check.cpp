// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <cstdio>
#include <cstdlib>

#include "framework/base/mutex.hpp"
#include "framework/base/spin_mutex.hpp"

namespace hawser {

// One for the whole process, plug-ins too: defined in this library alone.
bool g_many_threads = true;

}  // namespace hawser

namespace hawser::lock_check {

namespace {

constexpr int kDepth = 16;
struct Held {
  LockRank ranks[kDepth];
  int count = 0;
};
thread_local Held t_held;

[[noreturn]] void die(const char* what, LockRank rank, LockRank other) {
  std::fprintf(stderr, "hawser: lock order: %s rank %d while rank %d is held\n", what, static_cast<int>(rank),
               static_cast<int>(other));
  std::abort();
}

}  // namespace

void taking(LockRank rank, bool tried) noexcept {
  Held& held = t_held;
  // A lock that was only tried cannot close a cycle, but counts for those taken after it.
  for (int i = 0; i < held.count && !tried; ++i) {
    if (held.ranks[i] >= rank) die("taking", rank, held.ranks[i]);
  }
  if (held.count == kDepth) die("too deep at", rank, held.ranks[kDepth - 1]);
  held.ranks[held.count++] = rank;
}

void leaving(LockRank rank) noexcept {
  Held& held = t_held;
  for (int i = held.count - 1; i >= 0; --i) {
    if (held.ranks[i] != rank) continue;
    for (int j = i; j + 1 < held.count; ++j) held.ranks[j] = held.ranks[j + 1];
    --held.count;
    return;
  }
  die("leaving a lock that is not held,", rank, rank);
}

int held() noexcept {
  return t_held.count;
}

void hot_wait(const std::atomic<int>& word) noexcept {
  for (int spins = 0; word.load(std::memory_order_relaxed) != 0; ++spins) {
    if (spins < 64) {
      cpu_relax();
    } else {
      sched_yield();
    }
  }
}

}  // namespace hawser::lock_check
