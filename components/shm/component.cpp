// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/component.hpp"

#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <iterator>
#include <new>

#include "components/shm/params.hpp"
#include "framework/btl/abi.hpp"
#include "framework/btl/parts.hpp"

namespace hawser::shm {

namespace {

// Longer than any single request to the modex may take: only a thread that waits for another one gets here.
constexpr std::chrono::minutes kParkLimit{10};
constexpr std::chrono::seconds kCloseLimit{10};

}  // namespace

Errc Component::open(btl::Host& host, char* why, std::size_t why_size) noexcept {
  host_ = &host;
  handlers_ = &host.handlers();
  return btl::answer_open(why, why_size, [this] { return try_open(); });
}

Result<void> Component::try_open() {
  const std::uint32_t ranks = host_->job().size;
  if (ranks > kMaxRings) {
    return make_error(Errc::kUnsupported, "shm serves jobs of up to {} ranks, this one has {}", kMaxRings,
                      ranks);
  }
  if (::getrandom(&incarnation_, sizeof incarnation_, 0) != static_cast<ssize_t>(sizeof incarnation_)) {
    return system_error("getrandom", errno);
  }
  shape_ = shape_from_params();
  heavy_barriers_ = register_heavy_barriers();
  auto segment = OwnSegment::make(ranks, shape_, incarnation_, heavy_barriers_);
  if (!segment) return segment.error();
  segment_ = std::move(*segment);
  if (auto made = doorbell_.make(); !made) return made;
  peers_ = std::make_unique<peers::PeerTable<Endpoint>>(ranks);
  shut_ = std::make_unique<std::atomic<Errc>[]>(ranks);
  adopted_.resize((ranks + 63) / 64);
  inbound_.reserve(ranks);
  sending_now_.reserve(ranks);
  {
    HotLock lock(sending_mutex_);
    sending_.reserve(ranks);
  }
  module_.open(shape_);
  if (auto published = publish(); !published) return published;
  if (host_->watch(doorbell_.watched(), EPOLLIN, &doorbell_rang, this) != Errc::kOk) {
    return make_error(Errc::kSystem, "the doorbell cannot be watched");
  }
  open_ = true;
  return {};
}

RingShape Component::shape_from_params() const noexcept {
  const Params& p = g_params;
  return {static_cast<std::uint32_t>(std::bit_ceil(static_cast<std::uint64_t>(p.ring_slots))),
          static_cast<std::uint32_t>(std::bit_ceil(p.ring_buffer_size))};
}

Result<void> Component::publish() {
  Blob blob;
  blob.pid = static_cast<std::uint32_t>(::getpid());
  blob.memory = segment_.fd();
  blob.doorbell = doorbell_.published();
  blob.incarnation = incarnation_;
  blob.segment_size = segment_.size();
  blob.rings = host_->job().size;
  blob.shape = shape_;
  blob.probe_address = reinterpret_cast<std::uint64_t>(&incarnation_);
  const std::string bytes = write_blob(blob);
  const Errc status = host_->modex_put(kBlobKey, bytes.data(), bytes.size());
  if (status != Errc::kOk)
    return make_error(status, "the shm address cannot be published: {}", to_text(status));
  return {};
}

void Component::add_procs(std::uint32_t rank, btl::Reach& reach) noexcept try {
  const auto peer = peers_->get_or_make(rank, deadline_in(kParkLimit), [&] { return connect(rank); });
  if (!peer) return btl::refuse(reach, peer.error());
  // What happened to its ring, or to it, while nobody could find it. The exchange pairs with that in
  // give_up: either we read why, or the progress role finds the peer.
  Errc why = Errc::kOk;
  if (!shut_[rank].compare_exchange_strong(why, Errc::kOk, std::memory_order_acq_rel)) fail(**peer, why);
  if (!(*peer)->alive()) failures_.store(true, std::memory_order_release);
  btl::answer(reach, module_, **peer);
} catch (const std::bad_alloc&) {
  btl::refuse(reach, Errc::kOutOfMemory, "out of memory");
}

void Component::release_peer(std::uint32_t rank) noexcept {
  std::unique_ptr<Endpoint> peer = peers_->take(rank);
  if (!peer) return;
  host_->unwatch(peer->process.get());
  Errc alive = Errc::kOk;
  peer->status.compare_exchange_strong(alive, Errc::kShutdown);
  drop_waiting(*peer, Errc::kShutdown);
  retired_.add(std::move(peer));
}

void Component::warn(const char* what, const Error& error) noexcept {
  if (!host_->logs(btl::LogLevel::kWarn)) return;
  char text[btl::kReasonSize];
  std::snprintf(text, sizeof text, "%s: %s", what, error.text.c_str());
  host_->log(btl::LogLevel::kWarn, "shm", text);
}

void Component::close() noexcept {
  if (!open_) return;
  open_ = false;
  segment_.header().goodbye.store(1, std::memory_order_release);
  host_->unwatch(doorbell_.watched());
  if (look_again_ != 0) host_->cancel_call(look_again_);
  const auto left = peers_->close(deadline_in(kCloseLimit));
  if (!left) warn("closing all the same", left.error());
  peers_->for_each([this](Endpoint& peer) {
    host_->unwatch(peer.process.get());
    drop_waiting(peer, Errc::kShutdown);
  });
  inbound_.clear();
  peers_.reset();
  retired_.clear([](Endpoint&) {});
}

}  // namespace hawser::shm

HAWSER_BTL_COMPONENT_TOLD("shm", "0.1.0", hawser::shm::kParamRows,
                          &hawser::btl::create<hawser::shm::Component>,
                          &hawser::btl::destroy<hawser::shm::Component>, 0, hawser::shm::kCounterInfo,
                          std::size(hawser::shm::kCounterInfo), nullptr, 0);
