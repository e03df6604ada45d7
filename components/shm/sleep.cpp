// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/component.hpp"
#include "framework/base/clock.hpp"

// Going to sleep and being woken; the order of the accesses is explained in doorbell.hpp.

namespace hawser::shm {

namespace {

constexpr std::uint64_t kLookAgainNs = 1'000'000;

}  // namespace

bool Component::arm() noexcept {
  module_.count_own(Counter::kArmed);
  for (const auto& inbound : inbound_) settle(*inbound);
  sleeping_.store(true, std::memory_order_seq_cst);  // before the stalled flags are read: see Module::refused
  segment_.header().armed.store(1, std::memory_order_relaxed);
  const bool all_ring = ask_for_room();
  heavy_fence(heavy_barriers_);
  if (work_waits()) return false;
  return all_ring || look_again_soon();
}

void Component::disarm() noexcept {
  segment_.header().armed.store(0, std::memory_order_relaxed);
  sleeping_.store(false, std::memory_order_relaxed);
}

// Receivers that have no room for us shall ring when they have. False: one of them cannot, or has not looked
// at us yet.
bool Component::ask_for_room() noexcept {
  bool all_ring = true;
  peers_->for_each([&](Endpoint& peer) {
    if (!peer.alive()) return;
    HotLock lock(peer.mutex);
    // What waits in the outbox counts though a post that went took the flag down meanwhile.
    if (!peer.stalled.load(std::memory_order_seq_cst) && !peer.listed) return;
    RingControl& control = peer.ring.control();
    control.both.want_room.store(1, std::memory_order_relaxed);
    if (control.receiver.wakeable.load(std::memory_order_acquire) == 0) all_ring = false;
  });
  return all_ring;
}

bool Component::work_waits() noexcept {
  if (segment_.header().announced.load(std::memory_order_relaxed) != announced_seen_) return true;
  if (failures_.load(std::memory_order_relaxed)) return true;
  for (const auto& inbound : inbound_) {
    if (inbound->ring.ready()) return true;
  }
  bool room = false;
  peers_->for_each([&](Endpoint& peer) {
    HotLock lock(peer.mutex);
    if (!peer.stalled.load(std::memory_order_relaxed) && !peer.listed) return;
    if (peer.alive() && !peer.ring.has_room()) return;
    peer.stalled.store(false,
                       std::memory_order_relaxed);  // told once; a post that is refused again sets it again
    room = true;
  });
  return room;
}

// For a receiver that cannot ring us: a look each millisecond costs next to nothing, and no message is
// stranded. False: no memory for the timer.
bool Component::look_again_soon() noexcept {
  if (look_again_ != 0) return true;
  look_again_ = host_->call_at(
      now_ns() + kLookAgainNs, [](void* self) noexcept { static_cast<Component*>(self)->look_again_ = 0; },
      this);
  return look_again_ != 0;
}

void Component::doorbell_rang(void* context, std::uint32_t) noexcept {
  static_cast<Component*>(context)->doorbell_.drain();
}

}  // namespace hawser::shm
