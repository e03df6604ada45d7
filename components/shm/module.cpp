// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/module.hpp"

#include <algorithm>
#include <cstring>

#include "components/shm/component.hpp"
#include "components/shm/doorbell.hpp"
#include "components/shm/params.hpp"
#include "components/shm/single_copy.hpp"

namespace hawser::shm {

using btl::Posted;

void Module::open(RingShape shape) noexcept {
  const Params& p = g_params;
  attributes_.exclusivity = static_cast<std::uint32_t>(p.exclusivity);
  attributes_.flags = btl::kFlagSend | btl::kFlagOrdered | btl::kFlagNeedsProgress | btl::kFlagTakes;
  attributes_.max_send_size = p.max_send_size;
  attributes_.eager_limit = std::min({p.eager_limit, p.max_send_size, shape.max_at_once()});
  attributes_.rndv_eager_limit = std::min(p.rndv_eager_limit, attributes_.max_send_size);
  attributes_.rdma_min_size = p.min_rdma_size;
  attributes_.rdma_max_size = INT64_MAX;
  attributes_.latency_ns = static_cast<std::uint32_t>(p.latency_ns);
  attributes_.bandwidth_mbps = static_cast<std::uint32_t>(p.bandwidth);
}

// Nearly every message: of the only thread there is, so nothing to lock; it fits into a slot, and there is
// one. What else may be to do stands behind calls that come last, so that here no register is to be kept.
Posted Module::sendi(btl::Endpoint& endpoint, btl::Head head, const void* data,
                     std::size_t size) noexcept HAWSER_NO_ANALYSIS {
  auto& peer = static_cast<Endpoint&>(endpoint);
  const bool plain = peer.alive() && !g_many_threads && head.size == kPlainHeader && size <= kPlainData &&
                     peer.outbox.empty() && peer.ring.knows_room();
  if (HAWSER_UNLIKELY(!plain)) return sendi_any(peer, head, data, size);
  peer.ring.put_plain(head, data, size);
  light_fence(peer.light);
  const bool all_know = (peer.segment.header().armed.load(std::memory_order_relaxed) |
                         static_cast<std::uint32_t>(peer.stalled.load(std::memory_order_relaxed))) == 0;
  counters_.add_own(Counter::kMessagesSent);
  counters_.add_own(Counter::kBytesSent, size);
  return HAWSER_LIKELY(all_know) ? Posted::kDone : tell_all(peer);
}

std::ptrdiff_t Module::take(btl::Endpoint& endpoint, btl::Head head, void* memory, std::size_t room,
                            unsigned looks) noexcept {
  auto& peer = static_cast<Endpoint&>(endpoint);
  if (HAWSER_UNLIKELY(!peer.inbound || head.size != kPlainHeader)) return -1;
  return peer.component.take_expected(*peer.inbound, head, memory, room, looks);
}

Posted Module::tell_all(Endpoint& peer) noexcept {
  if (HAWSER_UNLIKELY(peer.stalled.load(std::memory_order_relaxed))) {
    peer.stalled.store(false, std::memory_order_relaxed);
  }
  published(peer);
  return Posted::kDone;
}

Posted Module::sendi_any(Endpoint& peer, btl::Head head, const void* data, std::size_t size) noexcept {
  if (HAWSER_UNLIKELY(!peer.alive())) return Posted::kUnreachable;
  Put put;
  {
    HotLock lock(peer.mutex);
    if (HAWSER_UNLIKELY(!peer.outbox.empty())) {
      put = Put::kNoBuffer;  // its turn comes after what waits
    } else {
      if (RingSender::needs_buffer(head.size, size) && !buffer_ready(peer)) return lost(peer);
      put = HAWSER_LIKELY(size <= peer.ring.piece()) ? peer.ring.put_small(head, data, size)
                                                     : peer.ring.put_pieces(head, data, size);
    }
  }
  return HAWSER_LIKELY(put == Put::kDone) ? sent(peer, size) : refused(peer, put);
}

Posted Module::send(btl::Endpoint& endpoint, btl::Descriptor& descriptor) noexcept {
  auto& peer = static_cast<Endpoint&>(endpoint);
  if (HAWSER_UNLIKELY(!peer.alive())) return Posted::kUnreachable;
  const std::size_t size = descriptor.data_size;
  const btl::Head head{descriptor.header, descriptor.header_size, descriptor.tag};
  Put put;
  {
    HotLock lock(peer.mutex);
    if (RingSender::needs_buffer(head.size, size) && !buffer_ready(peer)) return lost(peer);
    if (size > peer.ring.piece() || !peer.outbox.empty()) {
      lock.unlock();
      return send_pieces(peer, descriptor);
    }
    put = peer.ring.put(head, descriptor.data, descriptor.data_count, size);
  }
  return HAWSER_LIKELY(put == Put::kDone) ? sent(peer, size) : refused(peer, put);
}

// What finds no room waits in the outbox; the first piece may be read while the others are written.
Posted Module::send_pieces(Endpoint& peer, btl::Descriptor& descriptor) noexcept {
  const std::size_t size = descriptor.data_size;
  Fifo<btl::Descriptor> done;
  bool first, waits, list;
  {
    HotLock lock(peer.mutex);
    if (!peer.alive()) return Posted::kUnreachable;  // what waits was dropped, or will be: see drop_waiting
    first = peer.outbox.empty();
    if (!peer.outbox.takes(size)) {
      lock.unlock();
      return refused(peer, Put::kNoBuffer);
    }
    peer.outbox.push(descriptor);
    if (first) peer.outbox.pump(peer.ring, done);
    waits = !peer.outbox.empty();
    list = waits && !peer.listed;
    if (list) peer.listed = true;
  }
  if (!waits) return sent(peer, size);
  if (first) published(peer);
  count(Counter::kMessagesSent);
  count(Counter::kBytesSent, size);
  if (list) peer.component.send_later(peer);
  return Posted::kPending;
}

// A system call under a hot lock, but once per peer: who never sends more than fits into a slot costs no
// buffer.
bool Module::buffer_ready(Endpoint& peer) noexcept {
  if (HAWSER_LIKELY(peer.buffer_allocated)) return true;
  peer.buffer_allocated = peer.ring.use_buffer() && peer.segment.allocate_buffer();
  return peer.buffer_allocated;
}

Posted Module::lost(Endpoint& peer) noexcept {
  peer.component.fail(peer, Errc::kOutOfMemory);
  return Posted::kUnreachable;
}

Posted Module::refused(Endpoint& peer, Put why) noexcept {
  if (why == Put::kBroken) {
    peer.component.fail(peer, Errc::kSystem);
    return Posted::kUnreachable;
  }
  count(Counter::kNoResource);
  count(why == Put::kNoSlot ? Counter::kRingFull : Counter::kBufferFull);
  peer.stalled.store(true, std::memory_order_seq_cst);
  peer.component.stalled_while_asleep();
  return Posted::kNoResource;
}

btl::Rdma* Module::rdma(btl::Endpoint& endpoint) noexcept {
  return static_cast<Endpoint&>(endpoint).single_copy.load(std::memory_order_relaxed) ? this : nullptr;
}

// A key says whose memory it is; the address travels beside it.
Errc Module::register_memory(btl::Endpoint& endpoint, const void*, std::size_t,
                             btl::RemoteKey& key) noexcept {
  const std::uint64_t incarnation = static_cast<Endpoint&>(endpoint).component.incarnation();
  key = {};
  std::memcpy(key.bytes, &incarnation, sizeof incarnation);
  return Errc::kOk;
}

void Module::deregister_memory(btl::Endpoint&, const btl::RemoteKey&) noexcept {}

namespace {

bool names(const btl::RemoteKey& key, const Endpoint& peer) noexcept {
  return std::memcmp(key.bytes, &peer.blob.incarnation, sizeof peer.blob.incarnation) == 0;
}

}  // namespace

Posted Module::get(btl::Endpoint& endpoint, void* local, std::uint64_t remote, const btl::RemoteKey& key,
                   std::size_t size, btl::Descriptor&) noexcept {
  auto& peer = static_cast<Endpoint&>(endpoint);
  if (!peer.alive() || !peer.single_copy.load(std::memory_order_relaxed) || !names(key, peer)) {
    return Posted::kUnreachable;
  }
  const Errc status = read_memory(peer.blob.pid, local, remote, size);
  if (status != Errc::kOk) return not_copied(peer, status);
  count(Counter::kRdmaGets);
  count(Counter::kRdmaGetBytes, size);
  return Posted::kDone;
}

Posted Module::put(btl::Endpoint& endpoint, const void* local, std::uint64_t remote,
                   const btl::RemoteKey& key, std::size_t size, btl::Descriptor&) noexcept {
  auto& peer = static_cast<Endpoint&>(endpoint);
  if (!peer.alive() || !peer.single_copy.load(std::memory_order_relaxed) || !names(key, peer)) {
    return Posted::kUnreachable;
  }
  const Errc status = write_memory(peer.blob.pid, local, remote, size);
  if (status != Errc::kOk) return not_copied(peer, status);
  count(Counter::kRdmaPuts);
  count(Counter::kRdmaPutBytes, size);
  return Posted::kDone;
}

// What the system refuses once it will refuse again: from now on that peer's messages are copied through.
void Module::abandon(btl::Endpoint& endpoint) noexcept {
  auto& peer = static_cast<Endpoint&>(endpoint);
  peer.reported.store(true);  // whoever gives the rail up knows
  Errc alive = Errc::kOk;
  peer.status.compare_exchange_strong(alive, Errc::kUnreachable);
  peer.component.give_up(peer.rank, Errc::kUnreachable);
  peer.component.drop_waiting(peer, Errc::kUnreachable);
  peer.segment.tell_given_up();
  published(peer);  // it may sleep, waiting for what we do not send any more
}

Posted Module::not_copied(Endpoint& peer, Errc status) noexcept {
  if (status == Errc::kPermission && peer.single_copy.exchange(false, std::memory_order_relaxed)) {
    count(Counter::kSingleCopyDenied);
  }
  return Posted::kUnreachable;
}

}  // namespace hawser::shm
