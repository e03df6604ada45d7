// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "framework/base/fd.hpp"

namespace hawser::tools {

/// A small process that outlives a launcher killed without warning, and then kills the process groups it was
/// told of: death signals and closed sockets do not reach programs that sit under a wrapper and never joined.
class Guardian {
 public:
  /// Forks it. Called before any descriptor of the job is there.
  bool start();
  void add_group(pid_t group);
  /// The job is over, and all is cleaned up: it goes without killing.
  void dismiss();

 private:
  Fd pipe_;
  pid_t pid_ = -1;
};

}  // namespace hawser::tools
