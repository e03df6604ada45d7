// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/bml.hpp"
#include "framework/base/hooks.hpp"

namespace hawser::bml {

using btl::Posted;

/// The next eager rail that is alive and takes a message of `size` bytes of data; null: none does. In the set
/// that was current when the size was judged, every living rail takes it.
const Rail* Bml::pick(Peer& peer, const RailSet& rails, std::uint64_t size) noexcept {
  const auto takes = [&](const Rail& rail) { return rails.alive(rail) && size <= rail.limits.max_send_size; };
  if (HAWSER_LIKELY(rails.sole && takes(*rails.sole))) return rails.sole;
  const std::size_t count = rails.eager.size();
  const std::uint32_t first = peer.next_eager.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < count; ++i) {
    const Rail& rail = rails.eager[(first + i) % count];
    if (takes(rail)) return &rail;
  }
  for (const Rail& rail : rails.send) {
    if (takes(rail)) return &rail;
  }
  return nullptr;
}

Posted Bml::sendi_by_choice(Peer& peer, btl::Head head, const void* data, std::size_t size) noexcept {
  if (HAWSER_UNLIKELY(!peer.pending.is_open())) return Posted::kNoResource;
  const RailSet& rails = peer.rails();
  if (HAWSER_UNLIKELY(rails.guard != nullptr)) {
    const iovec part{const_cast<void*>(data), size};
    return post_guarded(peer, rails, head, &part, 1, size);
  }
  const Rail* rail = pick(peer, rails, size);
  // Of a set that was replaced meanwhile all may be dead: the descriptor that the caller makes sees the next.
  if (HAWSER_UNLIKELY(!rail)) return &rails == &peer.rails() ? Posted::kUnreachable : Posted::kNoResource;
  if (HAWSER_UNLIKELY(size > rail->limits.eager_limit)) return Posted::kNoResource;  // it fell meanwhile
  HAWSER_HOOK("bml.rails_loaded");
  return sent(peer, rails, *rail, size, rail->module->sendi(*rail->endpoint, head, data, size));
}

Posted Bml::sent(Peer& peer, const RailSet& rails, const Rail& rail, std::size_t size,
                 Posted posted) noexcept {
  rail.count(posted, size);
  if (HAWSER_UNLIKELY(&rails != &peer.rails()) && posted == Posted::kDone) took_late(peer, rails, rail);
  // Another rail may still work: the descriptor that the caller makes now is posted there.
  return HAWSER_UNLIKELY(posted == Posted::kUnreachable) ? Posted::kNoResource : posted;
}

Posted Bml::post(Peer& peer, btl::Descriptor& descriptor) noexcept {
  for (;;) {
    const RailSet& rails = peer.rails();  // anew each time: those that refuse may have been replaced
    if (rails.guard) {
      const btl::Head head{descriptor.header, descriptor.header_size, descriptor.tag, descriptor.may_wait};
      return post_guarded(peer, rails, head, descriptor.data, descriptor.data_count, descriptor.data_size);
    }
    HAWSER_HOOK("bml.rails_loaded");
    const Rail* rail = pick(peer, rails, descriptor.data_size);
    if (!rail && &rails != &peer.rails()) continue;
    if (!rail) return Posted::kUnreachable;
    const std::size_t size = descriptor.data_size;  // once it is sent, it may be gone
    const Posted posted = rail->module->send(*rail->endpoint, descriptor);
    rail->count(posted, size);
    const bool took = posted == Posted::kDone || posted == Posted::kPending;
    if (HAWSER_UNLIKELY(&rails != &peer.rails()) && took) took_late(peer, rails, *rail);
    if (posted != Posted::kUnreachable) return posted;
    rails.kill(*rail);
  }
}

/// The guard takes a copy. Without a living rail it waits: the peer fails soon, unless it gets others.
Posted Bml::post_guarded(Peer& peer, const RailSet& rails, btl::Head head, const iovec* data,
                         std::size_t count, std::size_t size) noexcept {
  if (peer.failed.load(std::memory_order_acquire) || head.size > kMaxHeader) return Posted::kUnreachable;
  if (const Rail* rail = pick(peer, rails, size)) {
    return rails.guard->keep_copy(head, data, count, size, rails, *rail);
  }
  if (rails.any_alive()) return Posted::kUnreachable;  // none that takes so much
  list_stalled(peer);
  return Posted::kNoResource;
}

Posted Bml::send(Peer& peer, btl::Descriptor& descriptor) noexcept {
  switch (peer.pending.enter(descriptor)) {
    case decltype(peer.pending)::Entry::kBroken:
      return Posted::kUnreachable;
    case decltype(peer.pending)::Entry::kParked:
      break;
    case decltype(peer.pending)::Entry::kPass: {
      const Posted posted = post(peer, descriptor);
      if (posted != Posted::kNoResource) return posted;
      if (!peer.pending.turn_back(descriptor)) return Posted::kUnreachable;
    }
  }
  peer.live->pending.fetch_add(1, std::memory_order_relaxed);
  list_stalled(peer);
  return Posted::kPending;
}

/// Looks for a living rail first: parked without one it would come back from every drain, for ever.
Posted Bml::send_again(Peer& peer, btl::Descriptor& descriptor) noexcept {
  for (;;) {
    const RailSet& rails = peer.rails();
    if (pick(peer, rails, descriptor.data_size)) return send(peer, descriptor);
    if (&rails == &peer.rails()) return Posted::kUnreachable;
  }
}

void Bml::list_stalled(Peer& peer) noexcept {
  if (peer.stalled.exchange(true, std::memory_order_acq_rel)) return;
  waiting_.fetch_add(1, std::memory_order_relaxed);
  {
    HotLock lock(stalled_mutex_);
    stalled_peers_.push_back(&peer);
  }
  if (g_many_threads) runtime_.wake();  // whoever polls may be asleep
}

void Bml::stall(Transfer& transfer) noexcept {
  runtime_.live().header().transfers.fetch_add(1, std::memory_order_relaxed);
  waiting_.fetch_add(1, std::memory_order_relaxed);
  {
    HotLock lock(stalled_mutex_);
    stalled_transfers_.push_back(transfer);
  }
  if (g_many_threads) runtime_.wake();
}

/// Posts what waits for that peer, in order. How much went.
int Bml::drain(Peer& peer) noexcept {
  // Cleared before the drain: whoever is turned back from now on lists the peer again.
  peer.stalled.store(false, std::memory_order_release);
  const int moved = tend(peer);
  const std::size_t gone = peer.pending.drain([&](btl::Descriptor& descriptor) {
    switch (post(peer, descriptor)) {
      case Posted::kDone:
        descriptor.on_complete(descriptor, Errc::kOk);
        return true;
      case Posted::kPending:
        return true;
      case Posted::kNoResource:
        return false;
      case Posted::kUnreachable:
        break;
    }
    descriptor.on_complete(descriptor, Errc::kUnreachable);
    return true;
  });
  if (gone != 0) peer.live->pending.fetch_sub(static_cast<std::int64_t>(gone), std::memory_order_relaxed);
  if (peer.pending.waiting() != 0) list_stalled(peer);
  return moved + static_cast<int>(gone);
}

/// Gives everything that waited for room another try; what still finds none is listed again.
int Bml::poll() noexcept {
  if (HAWSER_LIKELY(waiting_.load(std::memory_order_relaxed) == 0)) return 0;
  int moved = 0;
  std::size_t rounds = 0;
  {
    HotLock lock(stalled_mutex_);
    rounds = stalled_peers_.size();
  }
  for (; rounds != 0; --rounds) {
    Peer* peer = nullptr;
    {
      HotLock lock(stalled_mutex_);
      peer = stalled_peers_.front();
      stalled_peers_.erase(stalled_peers_.begin());
    }
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    moved += drain(*peer);
  }
  Fifo<Transfer> transfers;
  std::vector<Errand> errands;
  {
    HotLock lock(stalled_mutex_);
    transfers = std::move(stalled_transfers_);
    errands.swap(errands_);
  }
  while (Transfer* transfer = transfers.pop_front()) {
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    resume(*transfer);
  }
  for (const Errand& errand : errands) {
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    run(errand);
  }
  return moved + acknowledge_all();
}

bool Bml::idle() noexcept {
  return waiting_.load(std::memory_order_acquire) == 0;
}

}  // namespace hawser::bml
