// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "framework/base/mutex.hpp"

namespace hawser::peers {

/// Peers that were let go, or replaced, and live on to the end, since a thread may be inside. A peer carries
/// its own link, `std::unique_ptr<Peer> next`, so that nothing is allocated here.
template <class Peer>
class Kept {
 public:
  Kept() = default;
  ~Kept() {
    clear([](Peer&) {});
  }

  /// Any thread.
  void add(std::unique_ptr<Peer> peer) noexcept {
    const Lock lock(mutex_);
    peer->next = std::move(first_);
    first_ = std::move(peer);
  }

  /// Takes one for which `test(peer)` is true, the last that was added; null: there is none. `test` is called
  /// under the lock. Any thread, but not during `for_each`, which has them all.
  template <class Test>
  std::unique_ptr<Peer> take(Test&& test) noexcept {
    const Lock lock(mutex_);
    for (std::unique_ptr<Peer>* at = &first_; *at; at = &(*at)->next) {
      if (!test(**at)) continue;
      std::unique_ptr<Peer> taken = std::move(*at);
      *at = std::move(taken->next);
      return taken;
    }
    return nullptr;
  }

  /// Calls `visit(peer)` for all, with no lock held. The thread that calls `clear` only.
  template <class Visit>
  void for_each(Visit&& visit) noexcept {
    std::unique_ptr<Peer> taken = take_all();
    Peer* last = nullptr;
    for (Peer* at = taken.get(); at; at = at->next.get()) visit(*(last = at));
    if (!last) return;
    const Lock lock(mutex_);
    last->next = std::move(first_);  // who came meanwhile
    first_ = std::move(taken);
  }

  /// At the end: calls `visit(peer)` for all, with no lock held, and destroys them then.
  template <class Visit>
  void clear(Visit&& visit) noexcept {
    std::unique_ptr<Peer> peer = take_all();
    for (Peer* at = peer.get(); at; at = at->next.get()) visit(*at);
    while (peer) peer = std::move(peer->next);  // one by one: the chain may be long
  }

 private:
  std::unique_ptr<Peer> take_all() noexcept {
    const Lock lock(mutex_);
    return std::move(first_);
  }

  Mutex<LockRank::kComponent> mutex_;
  std::unique_ptr<Peer> first_ HAWSER_GUARDED_BY(mutex_);
};

}  // namespace hawser::peers
