// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/progress_thread.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <system_error>

#include "framework/base/signals_off.hpp"

namespace hawser::progress {

namespace {

std::atomic<ProgressThread*> g_running{nullptr};
constexpr auto kPatienceAtExit = std::chrono::seconds(2);

}  // namespace

Result<void> ProgressThread::start() {
  assert(g_many_threads && !thread_.joinable());
  if (auto prepared = engine_.prepare_attendant(); !prepared) return prepared;
  {
    Lock lock(mutex_);
    ended_ = false;
  }
  const SignalsOff signals_off;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    return system_error("cannot start the progress thread (raise the limit, ulimit -u): pthread_create",
                        error.code().value());
  }
  process_ = ::getpid();
  g_running.store(this, std::memory_order_release);
  // Registered now, so that it comes before the destruction of all that callbacks may touch.
  [[maybe_unused]] static const int registered = std::atexit([] { end_at_exit(); });
  return {};
}

void ProgressThread::end_at_exit() noexcept {
  ProgressThread* running = g_running.exchange(nullptr, std::memory_order_acquire);
  if (!running || running->process_ != ::getpid()) return;              // a child has none
  if (running->thread_.get_id() == std::this_thread::get_id()) return;  // a callback called exit
  static_cast<void>(running->stop(Clock::now() + kPatienceAtExit));
}

void ProgressThread::run() noexcept {
  pthread_setname_np(pthread_self(), "hawser-progress");
  engine_.attend();
  Lock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

bool ProgressThread::stop(Deadline deadline) noexcept {
  if (!thread_.joinable()) return true;
  engine_.dismiss_attendant();
  {
    Lock lock(mutex_);
    while (!ended_) {
      if (changed_.wait_until(lock, deadline) == std::cv_status::timeout && !ended_) return false;
    }
  }
  thread_.join();  // about to return
  g_running.store(nullptr, std::memory_order_relaxed);
  return true;
}

}  // namespace hawser::progress
