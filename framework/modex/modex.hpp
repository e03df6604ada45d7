// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "framework/base/clock.hpp"
#include "framework/base/result.hpp"
#include "framework/btl/host.hpp"

namespace hawser::modex {

/// Exchanges the processes' addresses and lets them meet: put, commit, fence, get. One object per process.
/// Any thread; blocks at most to the deadline given; never call with a lock held.
class Modex {
 public:
  virtual ~Modex() = default;

  /// "embedded", "singleton"
  virtual const char* name() const noexcept = 0;
  /// Size, rank, secret and the rest, as the launcher says.
  virtual const btl::Job& job() const noexcept = 0;
  /// Settings of the launcher's command line, handed down to every rank, are read by mca::Registry from the
  /// environment; nothing of them here.

  /// Local until commit. The same key again replaces the value.
  virtual Result<void> put(std::string_view key, std::string_view value) = 0;
  /// When it returns, whoever asks for it gets it: also who learns of it by another way and asks then.
  virtual Result<void> commit() = 0;
  /// Waits until every rank of the job has entered; the n-th fence of one rank meets the n-th of the others.
  /// One outcome for all. kPeerGone: members left or died (the text names them and how they ended);
  /// kTimedOut: the text names those that are missing; kShutdown: this process left meanwhile. `collect`:
  /// what was committed before is here afterwards.
  virtual Result<void> fence(bool collect, Deadline deadline) = 0;
  /// Value; or kNotFound: that rank committed without this key, or is gone (what it had committed is still
  /// there); kTimedOut; kShutdown: this process left meanwhile. Waits only for a rank that has not committed
  /// yet. A get for a rank whose get is under way joins it, with a key and a deadline of its own.
  virtual Result<std::string> get(std::uint32_t rank, std::string_view key, Deadline deadline) = 0;

  /// Drops what is cached of `rank`, so that the next get asks the launcher; a get under way is not
  /// disturbed, and its answer serves those who wait for it now and nobody else.
  virtual void forget(std::uint32_t rank) = 0;

  /// Ends the job: every rank is stopped, the launcher prints `text` once and exits with `code`. Does not
  /// return.
  [[noreturn]] virtual void abort(int code, std::string_view text) = 0;
  /// Whether exactly one process of the job gets true for this `topic`: for messages that people see once.
  virtual bool first_to_report(std::string_view topic) = 0;
  /// Tells the launcher that this process leaves in good order. Calls of other threads that wait end with
  /// kShutdown, and are over when it returns.
  virtual void finalize() = 0;

  /// The connection to the launcher, for the event loop; -1: none. When it becomes readable while nobody is
  /// inside another call, `on_readable` takes what is there; if the launcher is gone, it ends the process.
  virtual int control_fd() const noexcept { return -1; }
  /// See control_fd.
  virtual void on_readable() noexcept {}
};

/// The back end for this process: embedded if our launcher started it, else singleton. An error if the
/// environment says "launched in parallel" by a launcher that we cannot talk to: never N singletons.
/// One at a time per process: finalize the last one before the next connect. While a process is joined, the
/// children that it starts are worlds of their own: they do not inherit the socket.
Result<std::unique_ptr<Modex>> connect();

}  // namespace hawser::modex
