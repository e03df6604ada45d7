// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <vector>

#include "framework/base/spin_mutex.hpp"
#include "mpi/coll/operation.hpp"

namespace hawser::mpi::coll {

/// What progress sees through: collectives, and other activities. Keeps the memory of collectives to come.
/// Any thread.
class Active {
 public:
  Operation& take();
  void give(Operation& operation) noexcept;

  /// The progress role takes over, if it is asleep by being woken.
  void add(Activity& activity) noexcept;
  /// Progress role: advances all. How many started something or ended: then the role's holder does not sleep
  /// yet.
  int poll() noexcept;

 private:
  void take_arrivals() noexcept;

  HotMutex<LockRank::kPool> pool_mutex_;
  Operation* free_ HAWSER_GUARDED_BY(pool_mutex_) = nullptr;
  std::atomic<Activity*> arrivals_{nullptr};  // newest first
  std::vector<Activity*> running_;            // the progress role's
};

Active& active() noexcept;

}  // namespace hawser::mpi::coll
