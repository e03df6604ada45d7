// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "components/fault/fate.hpp"
#include "components/fault/inbox.hpp"
#include "components/fault/parcel.hpp"
#include "components/fault/wrap.hpp"
#include "framework/base/spin_mutex.hpp"

namespace hawser::fault {

class Module;

/// A message as a post gives it.
struct Post {
  btl::Head head;
  const iovec* pieces;
  std::size_t count;
  std::size_t size;
  btl::Descriptor* original;  // null: an immediate send
};

/// A peer, and what the rules hold back on the way to it. Posts from any thread; the rest in the progress
/// role. A message that is held keeps those behind it from passing, unless a rule says so.
class Endpoint final : public wrap::Endpoint {
 public:
  Endpoint(Component& component, Module& module, btl::Endpoint& wrapped, std::uint32_t peer, Fate fate);

  btl::Posted post(const Post& what) noexcept;
  /// Whether a rule refuses the next post.
  bool refuses() noexcept;
  bool broken() const noexcept { return broken_.load(std::memory_order_acquire); }

  /// One pass: sends what is due, or ends what is broken or let go. How much it moved.
  int tick(std::uint64_t now_ns) noexcept;
  bool waiting() const noexcept { return waiting_.load(std::memory_order_seq_cst) != 0; }
  /// No more posts; what is held completes with `status`.
  void break_off(Errc status) noexcept;
  /// The next tick completes what is held with kShutdown. Any thread.
  void release() noexcept;

  Inbox inbox;  // the progress role's

 private:
  struct Plan {
    bool drop, delay, duplicate, reorder, reset, pieces;
  };
  enum class Phase : std::uint8_t { kWhole, kToGiveUp, kToReport, kGone };

  Plan plan_for(std::uint64_t number) const noexcept;
  btl::Posted lose(const Plan& plan, std::size_t size) noexcept;
  btl::Posted send_straight(const Post& what, const Plan& plan, std::uint64_t number) noexcept;
  btl::Posted hold(const Post& what, const Plan& plan, std::uint64_t number) noexcept;
  void enqueue(Parcel& parcel, bool overtaken) noexcept HAWSER_REQUIRES(mutex_);
  btl::Posted taken(std::size_t size, btl::Posted answer) noexcept;
  btl::Posted refused(std::uint64_t number) noexcept;
  Parcel* copy_of(const Post& what) noexcept;
  Parcel* next_due(std::uint64_t now_ns, bool& piece) noexcept;
  bool forward(Parcel& parcel) noexcept;
  void finish(Parcel& parcel, Errc status) noexcept;
  int end_held(Errc status) noexcept;
  static void completed(btl::Descriptor& self, Errc status) noexcept;

  Module& its_;
  const Fate fate_;
  std::atomic<bool> broken_{false};
  std::atomic<bool> released_{false};
  std::atomic<Phase> phase_{Phase::kWhole};
  std::atomic<std::uint32_t> waiting_{0};  // parcels held here
  std::atomic<std::uint32_t> away_{0};     // parcels that are with the wrapped module
  HotMutex<LockRank::kEndpoint> mutex_;
  ParcelQueue queue_ HAWSER_GUARDED_BY(mutex_);
  Parcel* late_ HAWSER_GUARDED_BY(mutex_) = nullptr;  // goes behind the next message
  bool sending_ HAWSER_GUARDED_BY(mutex_) = false;    // the first of the queue is being posted
  std::uint64_t posts_ HAWSER_GUARDED_BY(mutex_) = 0;
  std::uint64_t messages_ HAWSER_GUARDED_BY(mutex_) = 0;
  std::int64_t still_refused_ HAWSER_GUARDED_BY(mutex_) = 0;
};

}  // namespace hawser::fault
