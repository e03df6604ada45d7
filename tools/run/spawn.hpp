// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "tools/run/program.hpp"

namespace hawser::tools {

/// What a rank is started with. Descriptors stay the caller's.
struct Start {
  const Command* command = nullptr;
  std::vector<std::string> environment;  // NAME=VALUE, all of it
  int input = -1;
  int output = -1;
  int error = -1;
  int control = -1;                    // inherited under the same number
  const cpu_set_t* cores = nullptr;    // null: as we are
  const rlimit* open_files = nullptr;  // null: as we are
};

/// Signal settings as they were before the launcher changed its own; ranks start with them.
struct SignalSettings {
  sigset_t mask{};
  bool pipe_ignored = false;
  bool ttin_ignored = false;
  bool ttou_ignored = false;
};

/// Starts the program in a process group of its own; it is killed when this process dies. The process id; or
/// -errno of what failed, and then nothing is left of it.
pid_t spawn(const Start& start, const SignalSettings& signals);

}  // namespace hawser::tools
