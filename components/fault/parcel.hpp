// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "framework/base/spin_mutex.hpp"
#include "framework/btl/descriptor.hpp"
#include "framework/btl/module.hpp"

namespace hawser::fault {

class Endpoint;

/// A message that waits in an endpoint, or is with the wrapped module: a copy, or a stand-in for the poster's
/// descriptor, whose bytes it uses.
struct Parcel : btl::Descriptor {
  btl::Descriptor* original = nullptr;  // completes with this one; null: a copy
  Endpoint* endpoint = nullptr;
  std::uint64_t due_ns = 0;    // not sent before
  std::uint64_t taken_up = 0;  // bytes of it that were written, as far as short writes go
  iovec part{};
  std::unique_ptr<unsigned char[]> bytes;  // of a copy; made when first needed, and kept

  bool keep(btl::Head head, const iovec* pieces, std::size_t count, std::size_t size,
            std::size_t capacity) noexcept;
  void stand_in_for(btl::Descriptor& descriptor) noexcept;
};

/// A fixed number of parcels. Any thread.
class ParcelPool {
 public:
  static constexpr std::size_t kParcels = 256;

  ParcelPool();
  /// Null: all are out.
  Parcel* take() noexcept;
  void give_back(Parcel& parcel) noexcept;

 private:
  std::unique_ptr<Parcel[]> parcels_;
  HotMutex<LockRank::kPool> mutex_;
  btl::Descriptor* free_ HAWSER_GUARDED_BY(mutex_) = nullptr;
};

/// Parcels in a row, linked by their `next`.
class ParcelQueue {
 public:
  bool empty() const noexcept { return !head_; }
  Parcel* front() const noexcept { return static_cast<Parcel*>(head_); }
  void push_back(Parcel& parcel) noexcept;
  void push_front(Parcel& parcel) noexcept;
  Parcel* pop_front() noexcept;

 private:
  btl::Descriptor* head_ = nullptr;
  btl::Descriptor* tail_ = nullptr;
};

}  // namespace hawser::fault
