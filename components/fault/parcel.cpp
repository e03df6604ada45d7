// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/fault/parcel.hpp"

#include <cstring>
#include <new>

#include "framework/btl/outgoing.hpp"

namespace hawser::fault {

bool Parcel::keep(btl::Head head, const iovec* pieces, std::size_t count, std::size_t size,
                  std::size_t capacity) noexcept {
  if (size > capacity) return false;
  if (!bytes) bytes.reset(new (std::nothrow) unsigned char[capacity]);
  if (!bytes) return false;
  original = nullptr;
  tag = head.tag;
  header_size = static_cast<std::uint8_t>(head.size);
  if (head.size != 0) std::memcpy(header, head.bytes, head.size);
  btl::gather(pieces, count, bytes.get());
  part = {bytes.get(), size};
  data = &part;
  data_count = 1;
  data_size = size;
  return true;
}

// All that the poster says, also what later versions add.
void Parcel::stand_in_for(btl::Descriptor& descriptor) noexcept {
  static_cast<btl::Descriptor&>(*this) = descriptor;
  next = nullptr;
  original = &descriptor;
}

ParcelPool::ParcelPool() : parcels_(new Parcel[kParcels]) {
  for (std::size_t i = 0; i < kParcels; ++i) give_back(parcels_[i]);
}

Parcel* ParcelPool::take() noexcept {
  HotLock lock(mutex_);
  auto* parcel = static_cast<Parcel*>(free_);
  if (!parcel) return nullptr;
  free_ = parcel->next;
  parcel->next = nullptr;
  parcel->due_ns = 0;
  parcel->taken_up = 0;
  return parcel;
}

void ParcelPool::give_back(Parcel& parcel) noexcept {
  HotLock lock(mutex_);
  parcel.next = free_;
  free_ = &parcel;
}

void ParcelQueue::push_back(Parcel& parcel) noexcept {
  parcel.next = nullptr;
  (head_ ? tail_->next : head_) = &parcel;
  tail_ = &parcel;
}

void ParcelQueue::push_front(Parcel& parcel) noexcept {
  parcel.next = head_;
  if (!head_) tail_ = &parcel;
  head_ = &parcel;
}

Parcel* ParcelQueue::pop_front() noexcept {
  auto* parcel = static_cast<Parcel*>(head_);
  if (!parcel) return nullptr;
  head_ = parcel->next;
  parcel->next = nullptr;
  return parcel;
}

}  // namespace hawser::fault
