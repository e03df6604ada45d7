// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/guardian.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>

#include "framework/modex/protocol.hpp"

namespace hawser::tools {
namespace {

constexpr pid_t kDismissed = 0;

/// Keeps nothing open but its pipe: no terminal, no pipe that somebody waits to see closed.
int close_all_but(int pipe) {
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) ::dup2(null, fd);
  const int moved = ::dup2(pipe, 3);
  ::syscall(SYS_close_range, 4U, ~0U, 0U);
  return moved;
}

[[noreturn]] void guard(int pipe) {
  ::setsid();
  ::prctl(PR_SET_NAME, "hawser-guard");
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  if (::chdir("/") != 0) ::_exit(1);
  pipe = close_all_but(pipe);
  std::array<pid_t, modex::protocol::kMaxRanks> groups{};
  std::size_t count = 0;
  for (;;) {
    pid_t group = 0;
    const ssize_t got = retry_eintr([&] { return ::read(pipe, &group, sizeof group); });
    if (got != sizeof group) break;  // the launcher is dead
    if (group == kDismissed) ::_exit(0);
    if (count < groups.size()) groups[count++] = group;
  }
  for (std::size_t i = 0; i < count; ++i) ::kill(-groups[i], SIGKILL);
  ::_exit(0);
}

}  // namespace

bool Guardian::start() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  Fd read_end(ends[0]);
  pipe_.reset(ends[1]);
  pid_ = ::fork();
  if (pid_ == 0) guard(read_end.get());
  return pid_ > 0;
}

void Guardian::add_group(pid_t group) {
  retry_eintr([&] { return ::write(pipe_.get(), &group, sizeof group); });
}

void Guardian::dismiss() {
  if (pid_ <= 0) return;
  add_group(kDismissed);
  pipe_.reset();
  retry_eintr([&] { return ::waitpid(pid_, nullptr, 0); });
  pid_ = -1;
}

}  // namespace hawser::tools
