// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/self/module.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "components/self/params.hpp"
#include "framework/btl/outgoing.hpp"

namespace hawser::self {

namespace {

constexpr int kBurst = 64;  // messages a pass, so that other components get their turn

}  // namespace

Errc Module::open(btl::Host& host) noexcept {
  host_ = &host;
  const Params& p = g_params;
  attributes_.exclusivity = static_cast<std::uint32_t>(p.exclusivity);
  attributes_.flags = btl::kFlagSend | btl::kFlagOrdered | btl::kFlagNeedsProgress;
  attributes_.max_send_size = std::max(p.max_send_size, p.eager_limit);
  attributes_.eager_limit = p.eager_limit;
  attributes_.rndv_eager_limit = std::min(p.rndv_eager_limit, p.eager_limit);
  attributes_.rdma_min_size = p.min_rdma_size;
  attributes_.rdma_max_size = INT64_MAX;
  attributes_.latency_ns = static_cast<std::uint32_t>(p.latency_ns);
  attributes_.bandwidth_mbps = static_cast<std::uint32_t>(p.bandwidth);
  gathered_.reset(new (std::nothrow) unsigned char[attributes_.max_send_size]);
  // Four of the largest copies fit, whatever the parameters say; else one could never be sent.
  const std::uint64_t room = std::max(p.queue_size, 4 * (p.eager_limit + 4096));
  return gathered_ && queue_.open(std::bit_ceil(room)) ? Errc::kOk : Errc::kOutOfMemory;
}

btl::Posted Module::sendi(btl::Endpoint&, btl::Head head, const void* data, std::size_t size) noexcept {
  if (HAWSER_UNLIKELY(abandoned_.load(std::memory_order_relaxed))) return btl::Posted::kUnreachable;
  const iovec piece{const_cast<void*>(data), size};
  bool wake = false;
  if (!queue_.put_copy(head, &piece, 1, size, wake)) return refused();
  return taken(size, wake, btl::Posted::kDone);
}

btl::Posted Module::send(btl::Endpoint&, btl::Descriptor& descriptor) noexcept {
  if (HAWSER_UNLIKELY(abandoned_.load(std::memory_order_relaxed))) return btl::Posted::kUnreachable;
  const std::size_t size = descriptor.data_size;
  const bool copied = size <= attributes_.eager_limit;
  bool wake = false;
  const bool put = copied ? queue_.put_copy({descriptor.header, descriptor.header_size, descriptor.tag},
                                            descriptor.data, descriptor.data_count, size, wake)
                          : queue_.put_held(descriptor, wake);
  if (!put) return refused();
  return taken(size, wake, copied ? btl::Posted::kDone : btl::Posted::kPending);
}

btl::Posted Module::taken(std::size_t size, bool wake, btl::Posted answer) noexcept {
  count(Counter::kMessagesSent);
  count(Counter::kBytesSent, size);
  if (HAWSER_UNLIKELY(wake)) {
    count(Counter::kWakeups);
    host_->wake();
  }
  return answer;
}

btl::Posted Module::refused() noexcept {
  count(Counter::kNoResource);
  return btl::Posted::kNoResource;
}

int Module::progress() noexcept {
  if (HAWSER_UNLIKELY(released_.load(std::memory_order_relaxed))) return drop_all(Errc::kShutdown);
  if (HAWSER_LIKELY(queue_.looks_empty())) return 0;
  int moved = 0;
  while (moved < kBurst) {
    Queue::Record* record = queue_.front();
    if (!record) break;
    record->held ? deliver_held(*record) : deliver_copy(*record);
    ++moved;
  }
  return moved;
}

void Module::deliver_copy(Queue::Record& record) noexcept {
  hand_up({host_->job().rank, record.tag, record.header_size, record.header(), record.data(), record.size,
           nullptr});
  queue_.pop(record);
}

void Module::deliver_held(Queue::Record& record) noexcept {
  btl::Descriptor& d = *record.held;
  queue_.pop(record);
  const void* data = d.data_count == 1 ? d.data[0].iov_base : gathered_.get();
  if (d.data_count != 1) btl::gather(d.data, d.data_count, gathered_.get());
  counters_.add(Counter::kHeldDescriptors);
  hand_up({host_->job().rank, d.tag, d.header_size, d.header, data, d.data_size, nullptr});
  d.on_complete(d, Errc::kOk);
}

void Module::hand_up(const btl::Message& message) noexcept {
  assert_no_locks_held();
  counters_.add(Counter::kMessagesReceived);
  counters_.add(Counter::kBytesReceived, message.size);
  if (!host_->handlers().deliver(message)) {
    host_->log(btl::LogLevel::kError, "self",
               "a message to ourselves has a tag that nobody handles; dropped");
  }
}

void Module::abandon(btl::Endpoint&) noexcept {
  abandoned_.store(true, std::memory_order_relaxed);
  drop_all(Errc::kUnreachable);
}

// Only who let it go gets it back.
void Module::renew() noexcept {
  if (!released_.load(std::memory_order_relaxed)) return;
  abandoned_.store(false, std::memory_order_relaxed);
  released_.store(false, std::memory_order_relaxed);
}

int Module::drop_all(Errc status) noexcept {
  int dropped = 0;
  while (Queue::Record* record = queue_.front()) {
    btl::Descriptor* held = record->held;
    queue_.pop(*record);
    if (held) held->on_complete(*held, status);
    ++dropped;
  }
  return dropped;
}

// Our own memory is always within reach, so a key says nothing.
Errc Module::register_memory(btl::Endpoint&, const void*, std::size_t, btl::RemoteKey& key) noexcept {
  key = {};
  return Errc::kOk;
}

void Module::deregister_memory(btl::Endpoint&, const btl::RemoteKey&) noexcept {}

// memmove: a program may send a buffer to itself in place.
btl::Posted Module::get(btl::Endpoint&, void* local, std::uint64_t remote, const btl::RemoteKey&,
                        std::size_t size, btl::Descriptor&) noexcept {
  if (size != 0) std::memmove(local, reinterpret_cast<const void*>(remote), size);
  count(Counter::kRdmaGets);
  count(Counter::kRdmaGetBytes, size);
  return btl::Posted::kDone;
}

btl::Posted Module::put(btl::Endpoint&, const void* local, std::uint64_t remote, const btl::RemoteKey&,
                        std::size_t size, btl::Descriptor&) noexcept {
  if (size != 0) std::memmove(reinterpret_cast<void*>(remote), local, size);
  count(Counter::kRdmaPuts);
  count(Counter::kRdmaPutBytes, size);
  return btl::Posted::kDone;
}

void Module::count(Counter counter, std::uint64_t n) noexcept {
  g_many_threads ? counters_.add_shared(counter, n) : counters_.add(counter, n);
}

}  // namespace hawser::self
