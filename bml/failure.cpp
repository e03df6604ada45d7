// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/bml.hpp"

namespace hawser::bml {

/// A component gave a rail up. Progress role, no lock held.
void Bml::rail_failed(std::uint32_t rank, btl::Module& module, Errc status, const char* text) noexcept {
  if (Peer* peer = find(rank)) return rail_failed(*peer, module, status, text);
  // Whom this concerns is known once all rails of that peer are.
  run_soon({rank, &module, status, text});
}

/// A rail that could not be set up leaves its peer to the others: nothing was lost on it. One that broke
/// after it had carried messages may have lost some: the guard sends them again. Without one the peer fails
/// as a whole rather than hang.
void Bml::rail_failed(Peer& peer, btl::Module& module, Errc status, const char* text) noexcept {
  const RailSet& rails = peer.rails();
  bool ours = false;
  bool loses = !rails.guard;
  for (const auto* some : {&rails.send, &rails.rdma}) {
    for (const Rail& rail : *some) {
      if (rail.module != &module) continue;
      ours = true;
      rails.kill(rail);
      loses = loses || rails.guard->unproven(rail.endpoint);
    }
  }
  // What we last said may be lost too.
  if (Guard* guard = guards_[peer.rank].load(std::memory_order_acquire)) tell_again(*guard);
  if (!ours && (rails.guard || status == Errc::kUnreachable)) return;  // it went away before, or never served
  if (peer.first_failure.empty()) peer.first_failure = text;
  const bool lost = loses && status != Errc::kUnreachable;
  if (lost || !(rails.any_alive() || finds_others(peer))) return fail(peer, status, text);
  if (rails.guard) rails.guard->rail_lost();
  list_stalled(peer);
}

/// The peer as a whole: what waits for it ends with `status`, and whoever asked for it is told why.
void Bml::fail(Peer& peer, Errc status, const char* text) noexcept {
  peer.rails().dead.store(~0ull, std::memory_order_relaxed);
  if (peer.failed.exchange(true, std::memory_order_acq_rel)) return;
  peer.pending.shatter(
      status, [](void*, btl::Descriptor& descriptor, Errc why) { descriptor.on_complete(descriptor, why); },
      nullptr);
  if (Guard* guard = peer.rails().guard) guard->fail(status);
  if (peer_failure_.function) {
    const bool others = !peer.first_failure.empty() && peer.first_failure != text;
    const std::string words =
        others ? fmt::format("{} (its first rail failed with: {})", text, peer.first_failure) : text;
    peer_failure_.function(peer_failure_.context, peer.rank, status, words.c_str());
  }
}

/// For the progress role, which has no lock and no callback of a component around it.
void Bml::run_soon(Errand errand) {
  waiting_.fetch_add(1, std::memory_order_relaxed);
  {
    HotLock lock(stalled_mutex_);
    errands_.push_back(std::move(errand));
  }
  runtime_.wake();
}

/// A failure that came before its peer was wired up, or a change that came while it was.
void Bml::run(const Errand& errand) {
  if (!errand.module) return rails_changed(errand.rank);
  auto met = peer(errand.rank);
  if (met) return rail_failed(**met, *errand.module, errand.status, errand.text.c_str());
  if (peer_failure_.function) {
    peer_failure_.function(peer_failure_.context, errand.rank, errand.status, errand.text.c_str());
  }
}

}  // namespace hawser::bml
