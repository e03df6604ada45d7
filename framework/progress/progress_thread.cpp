// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/progress_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <cassert>
#include <system_error>

namespace hawser::progress {

namespace {

/// While it lives, threads made by this one are born without signals: the program's handlers run in the
/// program's threads. What a thread does wrong itself still reaches it.
class SignalsOff {
 public:
  SignalsOff() noexcept {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsOff() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsOff(const SignalsOff&) = delete;
  SignalsOff& operator=(const SignalsOff&) = delete;

 private:
  sigset_t before_;
};

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
  return {};
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
  return true;
}

}  // namespace hawser::progress
