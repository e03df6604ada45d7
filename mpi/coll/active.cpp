// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/active.hpp"

#include <algorithm>

#include "framework/base/no_destructor.hpp"
#include "mpi/coll/coll.hpp"
#include "mpi/coll/shm_wait.hpp"

namespace hawser::mpi::coll {

Active& active() noexcept {
  static NoDestructor<Active> instance;  // other threads may still look
  return *instance;
}

Operation& Active::take() {
  {
    HotLock lock(pool_mutex_);
    if (Operation* operation = free_) {
      free_ = operation->next_free;
      return *operation;
    }
  }
  return *new Operation;
}

void Active::give(Operation& operation) noexcept {
  HotLock lock(pool_mutex_);
  operation.next_free = free_;
  free_ = &operation;
}

void Active::add(Activity& activity) noexcept {
  activity.next = arrivals_.load(std::memory_order_relaxed);
  while (!arrivals_.compare_exchange_weak(activity.next, &activity, std::memory_order_release,
                                          std::memory_order_relaxed)) {
  }
  // Its transfers may have ended before: then nothing else would wake who polls.
  library().runtime->engine().wake();
}

void Active::take_arrivals() noexcept {
  const auto first = static_cast<std::ptrdiff_t>(running_.size());
  for (Activity* it = arrivals_.exchange(nullptr, std::memory_order_acquire); it; it = it->next) {
    running_.push_back(it);
  }
  std::reverse(running_.begin() + first, running_.end());
}

int Active::poll() noexcept {
  if (HAWSER_UNLIKELY(arrivals_.load(std::memory_order_relaxed) != nullptr)) take_arrivals();
  if (HAWSER_LIKELY(running_.empty())) return 0;
  int moved = 0;
  const auto end = std::remove_if(running_.begin(), running_.end(), [&](Activity* it) {
    const Activity::Progress progress = it->poll();
    if (progress != Activity::Progress::kNone) ++moved;
    return progress == Activity::Progress::kEnded;
  });
  running_.erase(end, running_.end());
  return moved;
}

void start(Runtime& runtime) {
  runtime.engine().add_poller(
      {[](void* context) noexcept { return static_cast<Active*>(context)->poll(); }, &active()});
  runtime.engine().add_poller({[](void* waits) noexcept { return static_cast<TeamWaits*>(waits)->poll(); },
                               &team_waits(),
                               [](void* waits) noexcept { return static_cast<TeamWaits*>(waits)->arm(); },
                               [](void* waits) noexcept { static_cast<TeamWaits*>(waits)->disarm(); }});
}

void add_handlers(btl::HandlerTable& table) noexcept {
  add_wake_handler(table);
}

void stop() noexcept {
  library().runtime->engine().remove_poller(&team_waits());
  library().runtime->engine().remove_poller(&active());
}

}  // namespace hawser::mpi::coll
