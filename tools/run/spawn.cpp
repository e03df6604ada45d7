// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "framework/base/fd.hpp"

namespace hawser::tools {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

/// Runs in the child of vfork, in the launcher's memory: system calls only, no return. An error is left in
/// `failed`.
[[noreturn]] void become(const Start& start, const SignalSettings& signals, pid_t launcher, char** words,
                         char** environment, volatile int& failed) {
  const auto check = [&failed](bool ok) {
    if (ok) return;
    failed = errno != 0 ? errno : EIO;
    ::_exit(127);
  };
  check(::setpgid(0, 0) == 0);
  check(::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
  check(::getppid() == launcher);  // else it died before it could be tied to us
  check(::dup2(start.input, 0) == 0 && ::dup2(start.output, 1) == 1 && ::dup2(start.error, 2) == 2);
  check(::fcntl(start.control, F_SETFD, 0) == 0);
  if (start.cores) check(::sched_setaffinity(0, sizeof *start.cores, start.cores) == 0);
  if (start.open_files) check(::setrlimit(RLIMIT_NOFILE, start.open_files) == 0);
  if (!signals.pipe_ignored) ::signal(SIGPIPE, SIG_DFL);
  if (!signals.ttin_ignored) ::signal(SIGTTIN, SIG_DFL);
  if (!signals.ttou_ignored) ::signal(SIGTTOU, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &signals.mask, nullptr);
  ::execve(start.command->file.c_str(), words, environment);
  check(false);
  ::_exit(127);
}

}  // namespace

pid_t spawn(const Start& start, const SignalSettings& signals) {
  std::vector<char*> words = pointers(start.command->words);
  std::vector<char*> environment = pointers(start.environment);
  const pid_t launcher = ::getpid();
  volatile int failed = 0;
  const pid_t pid = ::vfork();  // no copy of page tables; we go on when the child has executed
  if (pid == 0) become(start, signals, launcher, words.data(), environment.data(), failed);
  if (pid < 0) return -errno;
  if (failed == 0) return pid;
  retry_eintr([&] { return ::waitpid(pid, nullptr, 0); });
  return -failed;
}

}  // namespace hawser::tools
