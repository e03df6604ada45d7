// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/base/fd.hpp"
#include "framework/base/result.hpp"

namespace hawser::tools {

/// A process as /proc describes it.
struct Process {
  pid_t pid = -1;
  pid_t parent = -1;
  uid_t user = 0;
  char state = '?';        // R, S, D, T, Z, ...
  double cpu_seconds = 0;  // used so far, by all its threads
  double age_seconds = 0;  // since its start
  std::string program;     // file name of the first word of its command line
};

/// Nothing: there is no such process, or it has just gone.
std::optional<Process> read_process(pid_t pid);
std::vector<pid_t> all_processes();

/// What the process shows of itself, to be read. kNotFound: nothing, it is no rank; kPermission: it belongs
/// to somebody else, or the system does not let us look; the text names it.
Result<Fd> open_live(const Process& process);

/// "ada (1000)"
std::string user_text(uid_t user);

}  // namespace hawser::tools
