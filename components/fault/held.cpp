// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "components/fault/component.hpp"
#include "components/fault/endpoint.hpp"
#include "components/fault/module.hpp"
#include "components/fault/params.hpp"

// What happens to held messages in the progress role.

namespace hawser::fault {

using btl::Posted;

namespace {

constexpr int kBurst = 64;  // messages a pass, so that other components get their turn

}  // namespace

int Endpoint::tick(std::uint64_t now_ns) noexcept {
  int moved = inbox.step();
  if (released_.load(std::memory_order_acquire)) return moved + end_held(Errc::kShutdown);
  if (phase_.load(std::memory_order_acquire) == Phase::kToGiveUp) {
    moved += 1 + end_held(Errc::kUnreachable);
    inbox.drop();
    its_.inner().abandon(inner);
    phase_.store(Phase::kToReport, std::memory_order_release);
  }
  if (phase_.load(std::memory_order_acquire) == Phase::kToReport && away_.load() == 0) {
    phase_.store(Phase::kGone, std::memory_order_release);
    its_.owner().outer_host().rail_failed(rank, its_, *this, Errc::kSystem,
                                          "a rule of btl_fault_drop or btl_fault_reset broke this rail");
    return moved + 1;
  }
  for (int i = 0; i < kBurst; ++i) {
    bool piece = false;
    Parcel* parcel = next_due(now_ns, piece);
    moved += piece;
    if (!parcel || !forward(*parcel)) break;
    ++moved;
  }
  return moved;
}

/// The first of the queue, taken out of it, if it may go. `piece`: a part of it was taken up instead.
Parcel* Endpoint::next_due(std::uint64_t now_ns, bool& piece) noexcept {
  HotLock lock(mutex_);
  if (late_ && late_->due_ns <= now_ns) queue_.push_back(*std::exchange(late_, nullptr));
  Parcel* parcel = queue_.front();
  if (!parcel || parcel->due_ns > now_ns) return nullptr;
  if (g_params.short_write != 0 && parcel->taken_up < parcel->data_size) {
    parcel->taken_up += g_params.short_write;
    its_.count(Counter::kPieces);
    piece = true;
    if (parcel->taken_up < parcel->data_size) return nullptr;
  }
  sending_ = true;
  return queue_.pop_front();
}

/// False: no room below; it is the first of the queue again.
bool Endpoint::forward(Parcel& parcel) noexcept {
  away_.fetch_add(1);
  const Posted posted = its_.inner().send(inner, parcel);
  {
    HotLock lock(mutex_);
    sending_ = false;
    if (posted == Posted::kNoResource) {
      queue_.push_front(parcel);
      away_.fetch_sub(1);
      return false;
    }
  }
  waiting_.fetch_sub(1);
  if (posted != Posted::kPending) {
    away_.fetch_sub(1);
    finish(parcel, posted == Posted::kDone ? Errc::kOk : Errc::kUnreachable);
  }
  return true;
}

void Endpoint::completed(btl::Descriptor& self, Errc status) noexcept {
  auto& parcel = static_cast<Parcel&>(self);
  Endpoint& endpoint = *parcel.endpoint;
  endpoint.finish(parcel, status);
  endpoint.away_.fetch_sub(1);
}

void Endpoint::finish(Parcel& parcel, Errc status) noexcept {
  btl::Descriptor* original = parcel.original;
  its_.pool().give_back(parcel);
  if (original) original->on_complete(*original, status);
}

int Endpoint::end_held(Errc status) noexcept {
  ParcelQueue held;
  {
    HotLock lock(mutex_);
    std::swap(held, queue_);
    if (late_) held.push_back(*std::exchange(late_, nullptr));
  }
  int ended = 0;
  while (Parcel* parcel = held.pop_front()) {
    waiting_.fetch_sub(1);
    finish(*parcel, status);
    ++ended;
  }
  return ended;
}

void Endpoint::break_off(Errc status) noexcept {
  broken_.store(true, std::memory_order_release);
  phase_.store(Phase::kGone, std::memory_order_release);
  end_held(status);
}

void Endpoint::release() noexcept {
  released_.store(true, std::memory_order_release);
  broken_.store(true, std::memory_order_release);
}

}  // namespace hawser::fault
