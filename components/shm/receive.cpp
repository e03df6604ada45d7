// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "components/shm/component.hpp"

namespace hawser::shm {

namespace {

constexpr int kBurst = 64;  // messages of one sender a pass, so that the others get their turn

}  // namespace

int Component::progress() noexcept {
  int moved = 0;
  if (HAWSER_UNLIKELY(segment_.header().announced.load(std::memory_order_relaxed) != announced_seen_)) {
    moved += adopt_senders();
  }
  for (auto& inbound : inbound_) moved += poll(*inbound);
  if (HAWSER_UNLIKELY(any_broken_)) purge_broken();
  if (HAWSER_UNLIKELY(failures_.load(std::memory_order_relaxed))) moved += report_failures();
  return moved;
}

int Component::poll(Inbound& inbound) noexcept {
  btl::Message message;
  message.rank = inbound.rank;
  int moved = 0;
  std::uint64_t bytes = 0;
  while (moved < kBurst) {
    const RingReceiver::Look look = inbound.ring.look(message);
    if (look == RingReceiver::Look::kEmpty) break;
    bytes += message.size;
    if (HAWSER_UNLIKELY(look == RingReceiver::Look::kBroken || !handlers_->deliver(message))) {
      drop_broken(inbound);
      return moved;
    }
    inbound.ring.advance();
    ++moved;
  }
  if (moved == 0) return 0;
  module_.count_own(Counter::kMessagesReceived, static_cast<std::uint64_t>(moved));
  module_.count_own(Counter::kBytesReceived, bytes);
  if (moved < kBurst) inbound.ring.tell();  // it ran dry: nobody may wait for room that is there
  if (inbound.ring.take_news()) tell_sender(inbound);
  return moved;
}

void Component::tell_sender(Inbound& inbound) noexcept {
  barrier_before_look(inbound.light);
  if (ring_if_set(inbound.ring.control().both.want_room, inbound.doorbell.get())) {
    module_.count(Counter::kWakeupsSent);
  }
}

int Component::adopt_senders() noexcept {
  SegmentHeader& header = segment_.header();
  announced_seen_ = header.announced.load(std::memory_order_acquire);
  int found = 0;
  for (std::size_t word = 0; word < adopted_.size(); ++word) {
    std::uint64_t fresh = header.attached[word].load(std::memory_order_acquire) & ~adopted_[word];
    adopted_[word] |= fresh;
    for (; fresh != 0; fresh &= fresh - 1, ++found) {
      adopt(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(fresh)));
    }
  }
  return found;
}

void Component::adopt(std::uint32_t rank) noexcept {
  if (rank >= host_->job().size) return;  // a bit that no rank has
  auto inbound = std::make_unique<Inbound>();
  inbound->rank = rank;
  inbound->ring.open(segment_.ring(rank), shape_);
  RingControl& control = inbound->ring.control();
  const SenderLine sender = control.sender;
  inbound->light = heavy_barriers_ && sender.heavy_barriers == 1;
  if (auto doorbell = open_doorbell(sender.pid, sender.doorbell)) {
    inbound->doorbell = std::move(*doorbell);
    control.receiver.wakeable.store(1, std::memory_order_release);
  }
  inbound_.push_back(std::move(inbound));
  module_.count_own(Counter::kRingsAdopted);
}

// The sender broke the rules, or its memory is damaged: its rail goes, nothing else.
void Component::drop_broken(Inbound& inbound) noexcept {
  broken_[inbound.rank].store(true, std::memory_order_relaxed);
  any_broken_ = true;
  module_.count_own(Counter::kRingsBroken);
  if (Endpoint* peer = peers_->find(inbound.rank)) fail(*peer, Errc::kProtocol);
}

void Component::purge_broken() noexcept {
  any_broken_ = false;
  std::erase_if(inbound_, [this](const auto& inbound) {
    return broken_[inbound->rank].load(std::memory_order_relaxed);
  });
}

}  // namespace hawser::shm
