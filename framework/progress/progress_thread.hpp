// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <thread>

#include "framework/base/clock.hpp"
#include "framework/base/mutex.hpp"
#include "framework/base/result.hpp"
#include "framework/progress/engine.hpp"

namespace hawser::progress {

/// The thread of the engine's attendant: connections are accepted, rendezvous answered and peers wired up
/// while the program computes. Callbacks may run in it, so g_many_threads must be true.
///
/// It takes no signals, but for those that tell of an error of its own. A child after fork has none, and must
/// not communicate. A program that calls exit without stopping it ends all the same. start and stop from one
/// thread at a time; one object runs at a time.
class ProgressThread {
 public:
  explicit ProgressThread(Engine& engine) noexcept : engine_(engine) {}
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  /// Must be stopped.
  ~ProgressThread() = default;

  /// Errors: no descriptor, no thread.
  Result<void> start();
  /// Ends it; true if there is none. False: it is still inside a callback at `deadline`, and may be asked
  /// again.
  [[nodiscard]] bool stop(Deadline deadline) noexcept;

 private:
  void run() noexcept;
  static void end_at_exit() noexcept;

  Engine& engine_;
  std::thread thread_;
  pid_t process_ = 0;  // that it runs in
  Mutex<LockRank::kRuntime> mutex_;
  Condition changed_;
  bool ended_ HAWSER_GUARDED_BY(mutex_) = false;
};

}  // namespace hawser::progress
