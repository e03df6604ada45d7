// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "framework/base/spin_mutex.hpp"

namespace hawser::fakes {

/// As in a process with one thread, or as if there were more, for its length.
struct Threads {
  explicit Threads(bool many) : before(std::exchange(g_many_threads, many)) {}
  ~Threads() { g_many_threads = before; }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  const bool before;
};

}  // namespace hawser::fakes
