// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <new>

#include "bml/bml.hpp"
#include "bml/ranking.hpp"

namespace hawser::bml {

/// A component gave a rail up. Progress role, no lock held.
void Bml::rail_failed(std::uint32_t rank, const Fallen& rail, Errc status, const char* text) noexcept {
  try {
    if (Peer* peer = find(rank)) return rail_failed(*peer, rail, status, text);
    // Whom this concerns is known once all rails of that peer are.
    run_soon({rank, rail, status, text});
  } catch (const std::bad_alloc&) {
    out_of_memory(rank);
  }
}

/// A rail that could not be set up leaves its peer to the others: nothing was lost on it. One that broke
/// after it had carried messages may have lost some: the guard sends them again. Without one the peer fails
/// as a whole rather than hang; so it does if the rail took messages before there was a guard, whether or
/// not it is still one of ours.
void Bml::rail_failed(Peer& peer, const Fallen& fallen, Errc status, const char* text) {
  if (peer.failed.load(std::memory_order_acquire)) return;
  const RailSet& rails = peer.rails();
  const Rail* rail = rails.find(fallen.endpoint);
  if (rail) {
    rails.kill(*rail);
    if (!rails.serves(rail->live))
      rail->live->state.store(live::RailState::kFailed, std::memory_order_relaxed);
  }
  // What we last said may be lost too.
  if (Guard* guard = guards_[peer.rank].load(std::memory_order_acquire)) tell_again(*guard);
  const bool lost =
      status != Errc::kUnreachable && (!rails.guard || rails.guard->loses_with(*fallen.endpoint));
  if (!rail && !lost) return;  // it went away before, or never served
  const std::string words = lost ? with_remedy(peer, status, text) : text;
  if (peer.first_failure.empty()) peer.first_failure = words;
  if (lost || !(rails.any_alive() || finds_others(peer))) return fail(peer, status, words.c_str());
  if (rails.guard) rails.guard->rail_lost();
  list_stalled(peer);
}

/// If there is another way to the peer, all that was missing was a copy of what was lost; unless the process
/// itself is gone.
std::string Bml::with_remedy(Peer& peer, Errc status, const char* text) {
  if (restarted(peer)) return text;
  const RailSet& rails = peer.rails();
  if (rails.guard || !rank_rails(ask_components(peer.rank).rails, &rails)->any_alive()) return text;
  return fmt::format(
      "{}. {} is another rail to it: with bml_guard = always (now {}) what was sent is kept until it is "
      "acknowledged, and would have gone there",
      text, status == Errc::kPeerGone ? "If the process still runs, there" : "There", params_.guard);
}

/// The set was replaced while `rail` of it took a message that has no number, perhaps after the mark that
/// is to prove all of them. So there must be another mark, or the peer fails if that rail does. Any thread.
void Bml::took_late(Peer& peer, const RailSet& before, const Rail& rail) noexcept {
  const RailSet& rails = peer.rails();
  if (before.guard || !rails.guard) return;
  if (rails.guard->doubt()) {
    const Rail* still = rails.find(rail.endpoint);
    if (still && rails.alive(*still)) rails.guard->mark(rails, *still);
    return;
  }
  // It is gone, and nobody will report it again: the progress role fails the peer.
  peer.broken.store(true, std::memory_order_release);
  list_stalled(peer);
}

/// What was to be done for that rank cannot be.
void Bml::out_of_memory(std::uint32_t rank) noexcept {
  constexpr const char* kText = "out of memory while its rails changed";
  if (Peer* peer = find(rank)) return fail(*peer, Errc::kOutOfMemory, kText);
  if (peer_failure_.function) peer_failure_.function(peer_failure_.context, rank, Errc::kOutOfMemory, kText);
}

/// The peer as a whole: what waits for it ends with `status`, and whoever asked for it is told why.
void Bml::fail(Peer& peer, Errc status, const char* text) noexcept {
  peer.rails().dead.store(~0ull, std::memory_order_relaxed);
  if (peer.failed.exchange(true, std::memory_order_acq_rel)) return;
  peer.live->failed.store(1, std::memory_order_relaxed);
  peer.pending.shatter(
      status,
      [](void* live, btl::Descriptor& descriptor, Errc why) {
        static_cast<live::Peer*>(live)->pending.fetch_sub(1, std::memory_order_relaxed);
        descriptor.on_complete(descriptor, why);
      },
      peer.live);
  if (Guard* guard = peer.rails().guard) guard->fail(status);
  if (peer_failure_.function) {
    const bool others = !peer.first_failure.empty() && peer.first_failure != text;
    std::string words;
    try {
      if (others) words = fmt::format("{} (its first rail failed with: {})", text, peer.first_failure);
    } catch (const std::bad_alloc&) {  // the short text must do
    }
    peer_failure_.function(peer_failure_.context, peer.rank, status, words.empty() ? text : words.c_str());
  }
}

/// For the progress role, which has no lock and no callback of a component around it.
void Bml::run_soon(Errand errand) {
  {
    HotLock lock(stalled_mutex_);
    errands_.push_back(std::move(errand));
    waiting_.fetch_add(1, std::memory_order_relaxed);
  }
  runtime_.wake();
}

/// A failure that came before its peer was wired up, or a change that came while it was.
void Bml::run(const Errand& errand) noexcept {
  if (!errand.rail.module) return rails_changed(errand.rank);
  auto met = peer(errand.rank);
  if (met) return rail_failed(errand.rank, errand.rail, errand.status, errand.text.c_str());
  if (peer_failure_.function) {
    peer_failure_.function(peer_failure_.context, errand.rank, errand.status, errand.text.c_str());
  }
}

}  // namespace hawser::bml
