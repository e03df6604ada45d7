// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "framework/base/errc.hpp"

namespace hawser::pml {

inline constexpr int kAnySource = -1;
inline constexpr int kAnyTag = -2;  // the values of the MPI standard ABI

/// How an operation ended. `source` is the rank in the channel's (remote) group.
struct Status {
  int source = kAnySource;
  int tag = kAnyTag;
  Errc error =
      Errc::kOk;  // kTruncated: what fitted was delivered, `size` says how long the message was cut to
  bool cancelled = false;
  std::uint64_t size = 0;     // bytes received
  const char* why = nullptr;  // with an error: a text for people, lives to the end of the process; or null
};

/// An operation under way: the base of sends, receives, and whatever the MPI layer adds (collectives). The
/// user of a request calls `release` exactly once, done or not; a request that is not done lives on until it
/// is.
class Request {
 public:
  /// kPersistent: the MPI layer's; its user keeps it once it is done. kNothing: done from the beginning,
  /// shared by all, has no error and nothing to release.
  enum class Kind : std::uint8_t { kSend, kReceive, kOther, kPersistent, kNothing };

  bool done() const noexcept { return done_.load(std::memory_order_acquire); }
  const Status& status() const noexcept { return status_; }  // constant once done
  Kind kind() const noexcept { return kind_; }
  void release() noexcept { release_(*this); }

  void* user = nullptr;  // the MPI layer's own

 protected:
  using Release = void (*)(Request& self) noexcept;
  Request(Kind kind, Release release) noexcept : release_(release), kind_(kind) {}
  ~Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// Makes the end visible. Nothing of the request may be touched after, unless it is known to live on.
  void set_done() noexcept { done_.store(true, std::memory_order_release); }
  void set_undone() noexcept { done_.store(false, std::memory_order_relaxed); }

  Status status_;

 private:
  Release release_;
  std::atomic<bool> done_{false};
  Kind kind_;
};

}  // namespace hawser::pml
