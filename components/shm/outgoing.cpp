// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/component.hpp"

// Messages that wait for room in the ring of their receiver.

namespace hawser::shm {

void Component::send_later(Endpoint& peer) noexcept {
  sending_count_.fetch_add(1, std::memory_order_relaxed);
  {
    HotLock lock(sending_mutex_);
    sending_.push_back(&peer);
  }
  peer.stalled.store(true, std::memory_order_seq_cst);
  stalled_while_asleep();
}

int Component::send_waiting() noexcept {
  {
    HotLock lock(sending_mutex_);
    sending_now_.swap(sending_);
  }
  int moved = 0;
  for (Endpoint* peer : sending_now_) moved += send_waiting(*peer);
  sending_now_.clear();
  return moved;
}

int Component::send_waiting(Endpoint& peer) noexcept {
  Fifo<btl::Descriptor> sent;
  int puts = 0;
  bool more = false;
  {
    HotLock lock(peer.mutex);
    if (peer.alive()) puts = peer.outbox.pump(peer.ring, sent);
    more = peer.listed = !peer.outbox.empty();
  }
  if (puts != 0) module_.published(peer);
  if (more) {
    peer.stalled.store(true, std::memory_order_relaxed);  // read by this very thread, before it sleeps
    HotLock lock(sending_mutex_);
    sending_.push_back(&peer);
  } else {
    sending_count_.fetch_sub(1, std::memory_order_release);
  }
  while (btl::Descriptor* message = sent.pop_front()) message->on_complete(*message, Errc::kOk);
  return puts;
}

// Whoever posts looks at the status under the same lock, so nothing comes after.
void Component::drop_waiting(Endpoint& peer, Errc status) noexcept {
  Fifo<btl::Descriptor> waiting;
  {
    HotLock lock(peer.mutex);
    waiting = peer.outbox.take_all();
  }
  while (btl::Descriptor* message = waiting.pop_front()) message->on_complete(*message, status);
}

}  // namespace hawser::shm
