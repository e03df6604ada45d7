// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/base/spin_mutex.hpp"
#include "framework/btl/message.hpp"

namespace hawser::mpi::coll {

class Team;

/// A thread that waits for what other members write into shared memory. `ready` looks at that memory and at
/// what the waiting thread does not change meanwhile: other threads ask it too.
struct TeamWait {
  Team& team;
  bool (*ready)(void* context);
  void* context;
  bool armed = false;      // the members know that we sleep
  bool announced = false;  // the waiting thread was told
  TeamWait* next = nullptr;
};

/// All such waits of this process: what wakes them when it sleeps. Nothing else would, as nobody sends a
/// message to one that waits for memory: a member that finds another asleep sends it one, whose arrival is
/// all that it says.
class TeamWaits {
 public:
  void add(TeamWait& wait) noexcept;
  void remove(TeamWait& wait) noexcept;

  // The progress role's, as a poller.
  int poll() noexcept;
  bool arm() noexcept;
  void disarm() noexcept;

 private:
  HotMutex<LockRank::kPool> mutex_;
  TeamWait* first_ HAWSER_GUARDED_BY(mutex_) = nullptr;
};

TeamWaits& team_waits() noexcept;

/// Before the runtime starts.
void add_wake_handler(btl::HandlerTable& table) noexcept;
/// Wakes rank `world_rank`, if it sleeps in such a wait. False: there was no room for the message.
bool wake_rank(std::uint32_t world_rank) noexcept;

}  // namespace hawser::mpi::coll
