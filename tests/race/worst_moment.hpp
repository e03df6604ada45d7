// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of the worst moments share.

#include <atomic>
#include <chrono>
#include <thread>

#include "framework/base/clock.hpp"
#include "tests/race/faults.hpp"

namespace hawser::tests {

inline constexpr int kThreads = 64;
inline constexpr int kWhole = 4;

inline Deadline soon() {
  return deadline_in(std::chrono::seconds(60));
}

inline void wait_for(const std::atomic<int>& value, int at_least) {
  while (value.load() < at_least) std::this_thread::yield();
}

/// A hook function: counts in the std::atomic<int> that is its context.
inline void count(void* counter) {
  ++*static_cast<std::atomic<int>*>(counter);
}

/// A hook that stops who comes by until `go_on`.
struct Stop {
  std::atomic<int> reached{0};
  std::atomic<int> go_on{0};
  static void here(void* self) {
    auto* stop = static_cast<Stop*>(self);
    ++stop->reached;
    wait_for(stop->go_on, 1);
  }
};

/// A `make` that gives a whole peer.
inline Result<std::unique_ptr<Endpoints>> make_whole() {
  auto made = std::make_unique<Endpoints>();
  made->built.assign(kWhole, 1);
  return made;
}

}  // namespace hawser::tests
