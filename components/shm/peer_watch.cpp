// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "components/shm/component.hpp"

// The end of a peer, expected or not, and how a failed rail is reported: by the progress role, once.

namespace hawser::shm {

void Component::process_ended(void* context, std::uint32_t) noexcept {
  Endpoint& peer = *static_cast<Endpoint*>(context);
  Component& self = peer.component;
  self.host_->unwatch(peer.process.get());
  // What it sent before its end lies in our memory, and is delivered first.
  for (auto& inbound : self.inbound_) {
    if (inbound->rank == peer.rank) self.take_rest(*inbound);
  }
  self.drop_arriving(peer.rank);
  if (peer.segment.header().goodbye.load(std::memory_order_acquire) != 0) {
    peer.reported.store(true, std::memory_order_relaxed);  // it left in good order: no failure
    Errc alive = Errc::kOk;
    peer.status.compare_exchange_strong(alive, Errc::kPeerGone);
    return self.drop_waiting(peer, Errc::kPeerGone);
  }
  self.module_.count_own(Counter::kPeersLost);
  self.fail(peer, Errc::kPeerGone);
  self.report_failures();
}

void Component::fail(Endpoint& peer, Errc status) noexcept {
  Errc alive = Errc::kOk;
  if (!peer.status.compare_exchange_strong(alive, status)) return;
  failures_.store(true, std::memory_order_release);
  host_->wake();
}

int Component::report_failures() noexcept {
  if (!failures_.exchange(false, std::memory_order_acquire)) return 0;
  int reported = 0;
  peers_->for_each([&](Endpoint& peer) {
    if (peer.alive() || peer.status.load() == Errc::kShutdown || peer.reported.exchange(true)) return;
    report(peer);
    ++reported;
  });
  return reported;
}

const char* Component::what_happened(std::uint32_t rank, Errc status) const noexcept {
  if (shut_[rank].load(std::memory_order_relaxed) == Errc::kPeerGone) return "gave the way to us up";
  switch (status) {
    case Errc::kPeerGone:
      return "ended without saying goodbye: it was killed, or it crashed";
    case Errc::kProtocol:
      return "wrote into our memory what makes no sense";
    case Errc::kOutOfMemory:
      return "there is no memory left for messages; make btl_shm_ring_buffer_size or btl_shm_max_send_size "
             "smaller";
    case Errc::kSystem:
      return "half a message lies in its memory, and there is no room for the rest, though there was before";
    default:
      return "failed";
  }
}

void Component::report(Endpoint& peer) noexcept {
  const Errc status = peer.status.load();
  drop_waiting(peer, status);
  if (status != Errc::kPeerGone) {  // it lives, and must not go on waiting for us
    peer.segment.tell_given_up();
    module_.published(peer);
  }
  char text[btl::kReasonSize];
  std::snprintf(text, sizeof text, "rank %u, process %u: %s", peer.rank, peer.blob.pid,
                what_happened(peer.rank, status));
  host_->rail_failed(peer.rank, module_, peer, status, text);
}

}  // namespace hawser::shm
