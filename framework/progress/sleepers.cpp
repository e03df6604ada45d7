// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/sleepers.hpp"

#include "framework/progress/futex.hpp"

namespace hawser::progress {

void Sleepers::Sleeper::sleep(std::uint64_t longest_ns) noexcept {
  futex_wait(woken_, 0u, longest_ns);
}

void Sleepers::add(Sleeper& sleeper, const void* awaited) noexcept {
  HotLock lock(mutex_);
  sleeper.awaited_ = awaited;
  if (sleeper.listed_) return;
  sleeper.listed_ = true;
  sleeper.previous_ = last_;
  (last_ ? last_->next_ : first_) = &sleeper;
  last_ = &sleeper;
  count_.fetch_add(1, std::memory_order_seq_cst);
}

void Sleepers::remove(Sleeper& sleeper) noexcept {
  HotLock lock(mutex_);
  if (sleeper.listed_) unlink(sleeper);
}

void Sleepers::unlink(Sleeper& sleeper) noexcept {
  (sleeper.previous_ ? sleeper.previous_->next_ : first_) = sleeper.next_;
  (sleeper.next_ ? sleeper.next_->previous_ : last_) = sleeper.previous_;
  sleeper.previous_ = sleeper.next_ = nullptr;
  sleeper.listed_ = false;
  count_.fetch_sub(1, std::memory_order_relaxed);
}

/// The system call comes after the lock. By then the thread may be gone, and its stack with it: a wake-up
/// that finds nobody, or somebody else who sleeps there by now, does no harm.
template <class Test>
bool Sleepers::wake_first(Test&& test) noexcept {
  std::atomic<std::uint32_t>* word = nullptr;
  {
    HotLock lock(mutex_);
    Sleeper* sleeper = first_;
    while (sleeper && !test(sleeper->awaited_)) sleeper = sleeper->next_;
    if (!sleeper) return false;
    unlink(*sleeper);
    word = &sleeper->woken_;
    word->store(1, std::memory_order_release);
  }
  futex_wake(*word, 1);
  return true;
}

void Sleepers::wake(const void* what) noexcept {
  while (wake_first([what](const void* awaited) { return !what || !awaited || awaited == what; })) {
  }
}

void Sleepers::wake_one() noexcept {
  wake_first([](const void*) { return true; });
}

}  // namespace hawser::progress
