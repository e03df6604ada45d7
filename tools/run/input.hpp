// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/base/clock.hpp"
#include "framework/base/fd.hpp"
#include "tools/run/poll.hpp"

namespace hawser::tools {

/// Standard input for one rank. A file or a pipe is handed over as it is, so nothing is taken from it that
/// the rank does not read. From a terminal the rank, which is not its foreground, may not read: there we
/// read, and forward while we are in the foreground ourselves.
class Input {
 public:
  explicit Input(Poll& poll) : poll_(poll) {}

  /// The descriptor that the rank gets as its standard input, to be closed here once it has started.
  Fd open();
  /// Starts forwarding, if there is anything to forward.
  void start();
  void stop();
  /// Whether `tick` wants to be called again: input waits for us to come to the foreground.
  bool is_waiting() const noexcept { return waiting_; }
  void tick();

 private:
  void on_terminal();
  void on_pipe_room();
  void send();

  Poll& poll_;
  Fd pipe_;
  std::string queue_;
  bool reading_ = false;
  bool waiting_ = false;
};

}  // namespace hawser::tools
