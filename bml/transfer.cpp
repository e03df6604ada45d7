// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/transfer.hpp"

#include <algorithm>
#include <cstdlib>

#include "bml/bml.hpp"
#include "bml/slice.hpp"

namespace hawser::bml {

namespace {

constexpr std::uint64_t kCall = 1;                       // somebody wants a puller
constexpr std::uint64_t kReturn = (1ull << 32) | kCall;  // and a slice or hold came back

std::uint32_t calls(std::uint64_t tokens) noexcept {
  return static_cast<std::uint32_t>(tokens);
}
std::uint64_t returns(std::uint64_t tokens) noexcept {
  return tokens >> 32;
}

}  // namespace

/// Cuts slices for the rails of one transfer. At most one thread pulls at a time: the one whose token found
/// none before it; it goes round until it has seen every token. Whoever adds a token touches the transfer no
/// more, for the puller may finish it: it is finished only when all that was given out came back.
class Puller {
 public:
  explicit Puller(Transfer& transfer) noexcept : t_(transfer), bml_(*transfer.bml) {}

  static void add(Transfer& transfer, std::uint64_t token) noexcept {
    if (calls(transfer.tokens.fetch_add(token, std::memory_order_acq_rel)) == 0) Puller(transfer).run();
  }
  static void slice_ended(Slice& slice, Errc status) noexcept;

 private:
  void run() noexcept {
    for (;;) {
      const std::uint64_t seen = t_.tokens.load(std::memory_order_acquire);
      collect();
      if (t_.status == Errc::kOk) pull();
      if (finished() && returns(seen) == t_.given) return finish();
      if (calls(t_.tokens.fetch_sub(calls(seen), std::memory_order_acq_rel)) == calls(seen)) return;
    }
  }
  bool finished() const noexcept {
    return t_.status != Errc::kOk || (t_.next_offset == t_.size && t_.refused.empty());
  }
  void finish() noexcept {
    while (Slice* slice = t_.refused.pop_front()) SlicePool::instance().give(*slice);
    t_.on_done(t_, t_.status);
  }
  void collect() noexcept;
  void pull() noexcept;
  bool pull_over(const RailSet& set) noexcept;
  Slice* next_slice(const RailSet& set, const Rail& rail) noexcept;
  bool post(Slice& slice, const RailSet& set, const Rail& rail) noexcept;
  btl::Posted hand_over(Slice& slice, const RailSet& set, const Rail& rail) noexcept;
  void stall() noexcept;

  Transfer& t_;
  Bml& bml_;
};

void Puller::slice_ended(Slice& slice, Errc status) noexcept {
  Transfer& transfer = *slice.transfer;
  slice.status = status;
  slice.next = transfer.ended.load(std::memory_order_relaxed);
  while (!transfer.ended.compare_exchange_weak(slice.next, &slice, std::memory_order_release)) {
  }
  add(transfer, kReturn);
}

/// Takes back the slices that ended. One that its rail never sent goes to another.
void Puller::collect() noexcept {
  Slice* slice = t_.ended.exchange(nullptr, std::memory_order_acquire);
  while (slice) {
    Slice* following = slice->next;
    --t_.in_rail[slice->rail];
    if (slice->status == Errc::kOk) {
      SlicePool::instance().give(*slice);
    } else {
      if (slice->status != Errc::kUnreachable) t_.status = slice->status;
      t_.refused.push_back(*slice);
    }
    slice = following;
  }
}

void Puller::pull() noexcept {
  while (!pull_over(t_.peer->rails())) {
  }
}

/// Goes round the rails, one slice each, until none takes any more. False: the set was replaced.
bool Puller::pull_over(const RailSet& set) noexcept {
  if (t_.peer->failed.load(std::memory_order_acquire)) {
    t_.status = Errc::kUnreachable;
    return true;
  }
  const std::vector<Rail>& rails = t_.kind == Transfer::Kind::kSend ? set.send : set.rdma;
  bool any_alive = false;
  bool room_lacks = false;
  for (bool moved = true; moved;) {
    moved = false;
    for (const Rail& rail : rails) {
      if (t_.next_offset == t_.size && t_.refused.empty()) return true;
      if (&set != &t_.peer->rails()) return false;
      if (!set.alive(rail)) continue;
      any_alive = true;
      if (t_.in_rail[rail.id] >= static_cast<std::uint32_t>(bml_.params_.pipeline_depth)) continue;
      Slice* slice = next_slice(set, rail);
      if (slice && post(*slice, set, rail)) {
        moved = true;
      } else {
        room_lacks = true;
      }
      if (t_.status != Errc::kOk) return true;
    }
  }
  // A guarded peer without rails fails soon, unless it gets others.
  if (!any_alive && set.guard) room_lacks = true;
  if (!any_alive && !room_lacks) t_.status = Errc::kUnreachable;
  if (room_lacks) stall();
  return true;
}

/// A slice for that rail: one that came back, else the next bytes. Null: out of memory.
Slice* Puller::next_slice(const RailSet& set, const Rail& rail) noexcept {
  // A guarded slice is never cut again, for the other side may have it: any other rail must take it as it is.
  const std::uint64_t largest = set.guard ? set.max_send_size : rail.limits.max_send_size;
  const std::uint64_t limit = t_.kind == Transfer::Kind::kSend ? largest : rail.limits.rdma_max_size;
  Slice* back = t_.refused.front();
  if (back && back->size <= limit) return t_.refused.pop_front();
  if (!back && t_.next_offset == t_.size) return nullptr;
  Slice* slice = SlicePool::instance().take();
  if (!slice) return nullptr;
  // One that came back from a rail with a higher limit is cut down to this rail's.
  std::uint64_t& offset = back ? back->offset : t_.next_offset;
  slice->transfer = &t_;
  slice->offset = offset;
  slice->size = back ? limit : std::min(limit, t_.size - offset);
  slice->packed = false;
  offset += slice->size;
  if (back) {
    back->size -= slice->size;
    back->packed = false;
  }
  return slice;
}

/// Gives the slice to the rail, or, for a guarded peer, to the guard. As a post; kDone: it has no end to
/// come.
btl::Posted Puller::hand_over(Slice& slice, const RailSet& set, const Rail& rail) noexcept {
  btl::Descriptor& descriptor = slice.kept.descriptor;
  descriptor.owner = &slice;
  descriptor.on_complete = [](btl::Descriptor& done, Errc status) noexcept {
    slice_ended(*static_cast<Slice*>(done.owner), status);
  };
  if (t_.kind == Transfer::Kind::kGet) {
    const std::uint64_t size = slice.size;  // once it is posted, it may be gone
    const btl::Posted posted =
        rail.rdma->get(*rail.endpoint, t_.base + slice.offset, t_.remote_address + slice.offset,
                       t_.remote_key, size, descriptor);
    if (posted == btl::Posted::kDone || posted == btl::Posted::kPending) {
      rail.live->add(live::RailCounter::kReads, 1, live::RailCounter::kReadBytes, size);
    }
    return posted;
  }
  // Small messages that wait come first.
  if (!t_.peer->pending.is_open() || !slice.prepare(t_, set.guard != nullptr))
    return btl::Posted::kNoResource;
  if (!set.guard) {
    const std::uint64_t size = slice.size;
    const btl::Posted posted = rail.module->send(*rail.endpoint, descriptor);
    rail.count(posted, size);
    const bool took = posted == btl::Posted::kDone || posted == btl::Posted::kPending;
    if (HAWSER_UNLIKELY(&set != &t_.peer->rails()) && took) bml_.took_late(*t_.peer, set, rail);
    return posted;
  }
  slice.kept.owner = &slice;
  slice.kept.on_end = [](Kept& kept, Errc status) noexcept {
    slice_ended(*static_cast<Slice*>(kept.owner), status);
  };
  const btl::Posted kept = set.guard->keep(slice.kept, set, rail);
  return kept == btl::Posted::kDone ? btl::Posted::kPending : kept;
}

/// True: the rail has it or is done with it. False: it waits in `refused`.
bool Puller::post(Slice& slice, const RailSet& set, const Rail& rail) noexcept {
  slice.rail = rail.id;
  // Counted before the post, for its end may be told at once, by another thread.
  ++t_.in_rail[rail.id];
  ++t_.given;
  const btl::Posted posted = hand_over(slice, set, rail);
  if (posted == btl::Posted::kPending) return true;
  --t_.in_rail[rail.id];
  --t_.given;
  if (posted == btl::Posted::kDone) {
    SlicePool::instance().give(slice);
    return true;
  }
  t_.refused.push_front(slice);
  if (posted == btl::Posted::kUnreachable) {
    if (t_.kind == Transfer::Kind::kGet) {
      t_.status = Errc::kUnreachable;  // not permitted any more: the owner sends instead
    } else {
      set.kill(rail);
    }
  }
  return false;
}

void Puller::stall() noexcept {
  if (t_.stalled.exchange(true, std::memory_order_acq_rel)) return;
  ++t_.given;  // the listing is a hold: the transfer lives until it is taken from the list
  bml_.stall(t_);
}

bool Slice::prepare(const Transfer& t, bool guarded) noexcept {
  if (t.base) {
    data = {t.base + offset, size};
  } else {
    if (room < size) {
      std::free(bounce);
      bounce = static_cast<char*>(std::malloc(size));
      room = bounce ? size : 0;
      packed = false;
    }
    if (!bounce) return false;
    if (!packed) t.pack(t, bounce, offset, size);
    packed = true;
    data = {bounce, size};
  }
  const SliceHeader header{t.remote_id, offset};
  btl::Descriptor& descriptor = kept.descriptor;
  if (guarded) {
    fill_header(kept, GuardKind::kMessage, t.tag, &header, sizeof header, true);
  } else {
    std::memcpy(descriptor.header, &header, sizeof header);
    descriptor.header_size = sizeof header;
    descriptor.tag = t.tag;
  }
  descriptor.data = &data;
  descriptor.data_count = 1;
  descriptor.data_size = size;
  return true;
}

void Bml::start(Transfer& transfer) noexcept {
  transfer.bml = this;
  transfer.given = 1;  // a hold of ours, given back by this very call
  Puller::add(transfer, kReturn);
}

/// Another try. The listing's hold comes back with it, so the transfer may be gone after.
void Bml::resume(Transfer& transfer) noexcept {
  runtime_.live().header().transfers.fetch_sub(1, std::memory_order_relaxed);
  transfer.stalled.store(false, std::memory_order_release);  // its link is free again: pairs with stall
  Puller::add(transfer, kReturn);
}

}  // namespace hawser::bml
