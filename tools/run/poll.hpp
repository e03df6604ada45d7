// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "framework/base/fd.hpp"

namespace hawser::tools {

/// The launcher's event loop: epoll and a function per descriptor. One thread. A function may remove any
/// descriptor, its own too.
class Poll {
 public:
  using Function = std::function<void(std::uint32_t events)>;

  Poll();
  /// False: this kind of file is always ready (a regular file).
  bool add(int fd, std::uint32_t events, Function function);
  void change(int fd, std::uint32_t events);
  void remove(int fd);
  /// Waits up to `timeout_ms` (-1: for ever) and runs what is due.
  void run(int timeout_ms);

 private:
  Fd epoll_;
  std::unordered_map<int, std::shared_ptr<Function>> functions_;
};

}  // namespace hawser::tools
