// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace hawser {

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

}  // namespace hawser
