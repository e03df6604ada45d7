// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/base/fd.hpp"
#include "framework/base/result.hpp"

namespace hawser::interfaces {

enum class Change : unsigned char {
  kNone,
  kRoutes,
  kInterfaces,  // links or addresses, and perhaps routes
};

/// Tells that links, addresses or routes of this process's network namespace have changed, not what: whoever
/// hears it enumerates anew. Belongs to the namespace in which it was opened. One thread at a time.
class Watch {
 public:
  /// The kernel may refuse: then changes go unnoticed, and that is all.
  static Result<Watch> open();

  /// Becomes readable when there is something to drain; for an event loop.
  int fd() const noexcept { return fd_.get(); }

  /// Takes all that the kernel has announced; the weightiest of it. More announcements than the socket could
  /// hold count as a change of interfaces. Never blocks.
  Change drain() noexcept;

 private:
  explicit Watch(Fd fd) noexcept : fd_(std::move(fd)) {}

  Fd fd_;
};

}  // namespace hawser::interfaces
