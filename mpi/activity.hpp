// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "pml/request.hpp"

namespace hawser::mpi {

/// A request that progress sees through, for what it waits for are other requests. `coll::Active` polls it
/// from when it is added to when it ends. Whoever may still touch it has a claim: its user, and the progress
/// role while it polls.
class Activity : public pml::Request {
 public:
  enum class Progress : std::uint8_t { kNone, kSome, kEnded };
  /// The progress role: goes on. kEnded: the activity may be gone.
  virtual Progress poll() noexcept = 0;

  Activity* next = nullptr;  // on the way to the progress role

 protected:
  using Request::Request;
  ~Activity() = default;
  /// So many, before anybody else knows of it.
  void set_claims(int count) noexcept { claims_.store(count, std::memory_order_relaxed); }
  /// One more: that of the time before may just be going.
  void claim() noexcept { claims_.fetch_add(1, std::memory_order_relaxed); }
  /// One less. True: that was the last, and the activity may go.
  bool unclaim() noexcept { return claims_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

 private:
  std::atomic<int> claims_{1};
};

}  // namespace hawser::mpi
