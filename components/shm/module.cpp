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

void Module::open(std::size_t max_data) noexcept {
  const Params& p = g_params;
  attributes_.exclusivity = static_cast<std::uint32_t>(p.exclusivity);
  attributes_.flags = btl::kFlagSend | btl::kFlagOrdered | btl::kFlagNeedsProgress;
  attributes_.max_send_size = std::min<std::uint64_t>(p.max_send_size, max_data);
  attributes_.eager_limit = std::min(p.eager_limit, attributes_.max_send_size);
  attributes_.rndv_eager_limit = std::min(p.rndv_eager_limit, attributes_.max_send_size);
  attributes_.rdma_min_size = p.min_rdma_size;
  attributes_.rdma_max_size = INT64_MAX;
  attributes_.latency_ns = static_cast<std::uint32_t>(p.latency_ns);
  attributes_.bandwidth_mbps = static_cast<std::uint32_t>(p.bandwidth);
}

Posted Module::sendi(btl::Endpoint& endpoint, btl::Head head, const void* data, std::size_t size) noexcept {
  auto& peer = static_cast<Endpoint&>(endpoint);
  if (HAWSER_UNLIKELY(!peer.alive())) return Posted::kUnreachable;
  Put put;
  {
    HotLock lock(peer.mutex);
    if (RingSender::needs_buffer(head.size, size) && !buffer_ready(peer)) return lost(peer);
    put = peer.ring.put_small(head, data, size);
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
    put = peer.ring.put(head, descriptor.data, descriptor.data_count, size);
  }
  return HAWSER_LIKELY(put == Put::kDone) ? sent(peer, size) : refused(peer, put);
}

// A system call under a hot lock, but once per peer: who never sends more than fits into a slot costs no
// buffer.
bool Module::buffer_ready(Endpoint& peer) noexcept {
  if (HAWSER_LIKELY(peer.buffer_allocated)) return true;
  peer.buffer_allocated = peer.segment.allocate_buffer();
  return peer.buffer_allocated;
}

Posted Module::lost(Endpoint& peer) noexcept {
  peer.component.fail(peer, Errc::kOutOfMemory);
  return Posted::kUnreachable;
}

Posted Module::sent(Endpoint& peer, std::size_t size) noexcept {
  if (HAWSER_UNLIKELY(peer.stalled.load(std::memory_order_relaxed))) {
    peer.stalled.store(false, std::memory_order_relaxed);
  }
  barrier_before_look(peer.light);
  if (HAWSER_UNLIKELY(ring_if_set(peer.segment.header().armed, peer.doorbell.get())))
    count(Counter::kWakeupsSent);
  count(Counter::kMessagesSent);
  count(Counter::kBytesSent, size);
  return Posted::kDone;
}

Posted Module::refused(Endpoint& peer, Put why) noexcept {
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
}

Posted Module::not_copied(Endpoint& peer, Errc status) noexcept {
  if (status == Errc::kPermission && peer.single_copy.exchange(false, std::memory_order_relaxed)) {
    count(Counter::kSingleCopyDenied);
  }
  return Posted::kUnreachable;
}

}  // namespace hawser::shm
