// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/shm_wait.hpp"

#include "framework/base/no_destructor.hpp"
#include "mpi/coll/shm_team.hpp"
#include "mpi/objects.hpp"

namespace hawser::mpi::coll {

namespace {

constexpr btl::Tag kTagWake = 0x20;

}  // namespace

TeamWaits& team_waits() noexcept {
  static NoDestructor<TeamWaits> instance;  // other threads may still look
  return *instance;
}

void TeamWaits::add(TeamWait& wait) noexcept {
  {
    HotLock lock(mutex_);
    wait.next = first_;
    first_ = &wait;
  }
  // Another thread may sleep for all of us, and has not armed this one.
  if (g_many_threads) library().runtime->engine().wake();
}

void TeamWaits::remove(TeamWait& wait) noexcept {
  HotLock lock(mutex_);
  TeamWait** at = &first_;
  while (*at != &wait) at = &(*at)->next;
  *at = wait.next;
  if (wait.armed) wait.team.wake_up();  // another thread armed it, and still sleeps
}

/// The role's holder looks for the threads that sleep without the role. One thread looks for itself.
int TeamWaits::poll() noexcept {
  if (!g_many_threads) return 0;
  int found = 0;
  {
    HotLock lock(mutex_);
    for (TeamWait* wait = first_; wait; wait = wait->next) {
      if (wait->announced || !wait->ready(wait->context)) continue;
      wait->announced = true;
      ++found;
    }
  }
  if (found != 0) library().runtime->engine().completed();
  return found;
}

bool TeamWaits::arm() noexcept {
  bool any = false, heavy = false;
  {
    HotLock lock(mutex_);
    for (TeamWait* wait = first_; wait; wait = wait->next) {
      wait->armed = true;
      wait->team.fall_asleep();
      any = true;
      heavy = heavy || wait->team.light();
    }
  }
  if (!any) return true;
  heavy_fence(heavy);
  HotLock lock(mutex_);
  for (TeamWait* wait = first_; wait; wait = wait->next) {
    if (wait->ready(wait->context)) return false;
  }
  return true;
}

void TeamWaits::disarm() noexcept {
  HotLock lock(mutex_);
  for (TeamWait* wait = first_; wait; wait = wait->next) {
    if (!wait->armed) continue;
    wait->armed = false;
    wait->team.wake_up();
  }
}

void add_wake_handler(btl::HandlerTable& table) noexcept {
  table.entries[kTagWake].deliver = [](void*, const btl::Message&) noexcept {};
}

bool wake_rank(std::uint32_t world_rank) noexcept {
  bml::Bml& bml = *library().bml;
  bml::Peer* peer = bml.find(world_rank);
  if (!peer) return true;  // it failed, and its own waits end otherwise
  const std::uint64_t nothing = 0;
  return bml.sendi(*peer, {&nothing, sizeof nothing, kTagWake}, nullptr, 0) != btl::Posted::kNoResource;
}

}  // namespace hawser::mpi::coll
