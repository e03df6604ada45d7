// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/bml.hpp"

namespace hawser::bml {

/// A rail that could not be set up leaves its peer to the others: nothing was lost on it. One that broke
/// after it had carried messages may have lost some, so the peer fails as a whole rather than hang.
void Bml::rail_failed(std::uint32_t rank, btl::Module& module, Errc status, const char* text) noexcept {
  Peer* peer = find(rank);
  bool any_left = false;
  if (peer) {
    for (const Rail& rail : peer->send) {
      if (rail.module == &module) peer->dead.fetch_or(1ull << rail.id, std::memory_order_relaxed);
      any_left = any_left || peer->alive(rail);
    }
    if (any_left && status == Errc::kUnreachable) {
      if (peer->pending.waiting() != 0) list_stalled(*peer);
      return;
    }
    peer->dead.store(~0ull, std::memory_order_relaxed);
    if (peer->failed.exchange(true, std::memory_order_acq_rel)) return;
    peer->pending.shatter(
        status, [](void*, btl::Descriptor& descriptor, Errc why) { descriptor.on_complete(descriptor, why); },
        nullptr);
  }
  if (peer_failure_.function) peer_failure_.function(peer_failure_.context, rank, status, text);
}

}  // namespace hawser::bml
