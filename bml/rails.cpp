// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Rails that come and go while the job runs.
#include <new>

#include "bml/bml.hpp"
#include "bml/ranking.hpp"

namespace hawser::bml {

/// Asks every component for its endpoints to `rank`.
Bml::Ways Bml::ask_components(std::uint32_t rank) {
  Ways ways;
  auto reach = std::make_unique<btl::Reach>();
  for (btl::Component* component : runtime_.loader().components()) {
    const char* name = runtime_.loader().name_of(*component);
    const std::uint32_t minor = runtime_.loader().minor_of(*component);
    *reach = {};
    component->add_procs(rank, *reach);
    for (std::size_t i = 0; i < reach->count; ++i) {
      btl::Module& module = *reach->rails[i].module;
      btl::Endpoint& endpoint = *reach->rails[i].endpoint;
      ways.rails.push_back({&module, &endpoint, module.rdma(endpoint), as_of(minor, module.attributes()), 0,
                            0, name, &runtime_.live().rail(rank, module, name)});
    }
    if (reach->count != 0) continue;
    ways.reasons.push_back(fmt::format("{}: {}", name, reach->reason));
    if (reach->status != Errc::kOk && reach->status != Errc::kUnreachable) ways.worst = reach->status;
  }
  return ways;
}

/// A component has other rails to `rank` from now on. Progress role, no lock held.
void Bml::rails_changed(std::uint32_t rank) noexcept {
  if (rank >= runtime_.job().size) return;
  // Pairs with `peer`: either this finds the peer that was just published, or its creator sees the change.
  changes_[rank].fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Peer* peer = find(rank);
  if (!peer) return;  // first contact will ask
  try {
    change(*peer);
  } catch (const std::bad_alloc&) {
    out_of_memory(rank);
  }
}

void Bml::change(Peer& peer) {
  if (restarted(peer)) {
    fail(peer, Errc::kPeerGone, "it was restarted: what was under way with the process before is lost");
    return let_go(peer.rank);
  }
  if (!peer.failed.load(std::memory_order_acquire)) renew(peer);
}

/// Whether the rank is another process by now than the one that was wired up. One that failed and is still
/// the same stays failed: what it missed does not come again.
bool Bml::restarted(const Peer& peer) {
  auto proc = runtime_.find_proc(peer.rank);
  return proc && (*proc)->incarnation != peer.incarnation;
}

/// Publishes the set that the components answer now. What waits goes on over it.
void Bml::renew(Peer& peer) {
  Ways ways = ask_components(peer.rank);
  auto next = rank_rails(std::move(ways.rails), &peer.rails());
  if (next->send.empty()) {
    const Error error = unreachable(peer.rank, ways.reasons, ways.worst);
    return fail(peer, error.code, ("its last rail went away: " + error.text).c_str());
  }
  adopt(peer, std::move(next));
}

/// Whether the component that lost the last rail has new ones in place of all: it says so only after.
bool Bml::finds_others(Peer& peer) {
  if (peer.failed.load(std::memory_order_acquire)) return false;
  auto next = rank_rails(ask_components(peer.rank).rails, &peer.rails());
  if (!next->any_alive()) return false;
  adopt(peer, std::move(next));
  return true;
}

void Bml::adopt(Peer& peer, std::unique_ptr<RailSet> next) {
  const RailSet& before = peer.rails();
  guard(peer, *next, &before);
  show(&before, *next);
  peer.publish(std::move(next));
  HAWSER_HOOK("bml.rails_published");
  const RailSet& rails = peer.rails();
  if (rails.guard) {
    rails.guard->rail_lost();  // those that went away
    if (!before.guard) prove(peer, before);
  }
  list_stalled(peer);
}

/// Lets others see which rails serve from now on. What a component says of its own may come before or after.
void Bml::show(const RailSet* before, const RailSet& next) noexcept {
  using live::RailState;
  const auto set = [](const RailSet& rails, const Rail& rail, RailState now) {
    const RailState is = rail.live->state.load(std::memory_order_relaxed);
    const bool known = is == RailState::kAside || is == RailState::kProbing || is == RailState::kFailed;
    if (now == RailState::kAside ? known : is == RailState::kConnecting && rails.alive(rail)) return;
    rail.live->state.store(rails.serves(rail.live) ? now : RailState::kFailed, std::memory_order_relaxed);
  };
  if (before) {
    for (const auto* rails : {&before->send, &before->rdma}) {
      for (const Rail& rail : *rails) {
        if (!next.find(rail.endpoint)) set(*before, rail, RailState::kAside);
      }
    }
  }
  for (const auto* rails : {&next.send, &next.rdma}) {
    for (const Rail& rail : *rails) set(next, rail, RailState::kUp);
  }
}

/// What was sent before the peer was guarded may still be lost with its rail: until a numbered message that
/// went after it is acknowledged, that rail must not break.
void Bml::prove(Peer& peer, const RailSet& before) {
  const RailSet& rails = peer.rails();
  for (const Rail& old : before.send) {
    const Rail* rail = rails.find(old.endpoint);
    if (rail && rails.alive(*rail)) rails.guard->mark(rails, *rail);
  }
}

/// The process is another one now: the next contact wires it up afresh, with a guard of its own. Somebody may
/// still be inside the old peer, whose gate is broken.
void Bml::let_go(std::uint32_t rank) {
  gone_.reserve(gone_.size() + 1);
  gone_guards_.reserve(gone_guards_.size() + 1);
  {
    HotLock lock(stalled_mutex_);  // it may be listed beside the one that takes its place
    stalled_peers_.reserve(runtime_.job().size + gone_.size() + 1);
  }
  if (Guard* guard = guards_[rank].exchange(nullptr, std::memory_order_acq_rel)) {
    gone_guards_.emplace_back(guard);
    if (std::exchange(guard->listed, false)) {
      std::erase(owing_, guard);
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  if (auto peer = peers_->take(rank)) gone_.push_back(std::move(peer));
}

}  // namespace hawser::bml
