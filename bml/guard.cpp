// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/guard.hpp"

#include <bit>
#include <cstring>

#include "bml/bml.hpp"
#include "bml/copy.hpp"

namespace hawser::bml {

using btl::Posted;

namespace {

GuardHeader header_of(const Kept& kept) noexcept {
  GuardHeader header;
  std::memcpy(&header, kept.descriptor.header, sizeof header);
  return header;
}
void write_header(Kept& kept, const GuardHeader& header) noexcept {
  std::memcpy(kept.descriptor.header, &header, sizeof header);
}

GuardHeader acknowledgement(std::uint64_t state) noexcept {
  return {0,
          static_cast<std::uint32_t>(state),
          static_cast<std::uint32_t>(state >> 32),
          0,
          0,
          GuardKind::kAcknowledgement,
          0};
}

void end_all(Fifo<Kept>& ended) noexcept {
  assert_no_locks_held();
  while (Kept* kept = ended.pop_front()) kept->on_end(*kept, kept->status);
}

}  // namespace

void fill_header(Kept& kept, GuardKind kind, btl::Tag tag, const void* header, std::uint32_t size,
                 bool urgent) noexcept {
  write_header(kept, {0, 0, 0, tag, 0, kind, static_cast<std::uint8_t>(urgent)});
  if (size != 0) std::memcpy(kept.descriptor.header + sizeof(GuardHeader), header, size);
  kept.descriptor.header_size = static_cast<std::uint8_t>(sizeof(GuardHeader) + size);
  kept.descriptor.tag = kTagGuard;
  kept.descriptor.may_wait = false;
}

Guard::Guard(Bml& bml, std::uint32_t peer_rank, std::uint32_t window)
    : rank(peer_rank),
      bml_(bml),
      window_(window),
      mask_(std::bit_ceil(window) - 1),
      ring_(std::make_unique<Kept*[]>(std::bit_ceil(window))) {}

Guard::~Guard() {
  HotLock lock(mutex_);
  for (std::uint32_t number = base_; number != next_; ++number) {
    if (Kept* kept = ring_[number & mask_]) Copy::give_back(*kept);
  }
}

Posted Guard::keep(Kept& kept, const RailSet& rails, const Rail& rail) noexcept {
  if (const Posted admitted = admit(kept, rail); admitted != Posted::kDone) return admitted;
  const Posted posted = offer(kept, rails, rail);
  if (posted == Posted::kNoResource || posted == Posted::kUnreachable) wait_for_turn(kept, false);
  return Posted::kDone;
}

Posted Guard::keep_copy(btl::Head head, const iovec* data, std::size_t count, std::size_t size,
                        const RailSet& rails, const Rail& rail) noexcept {
  Copy* copy = Copy::take(head, data, count, size);
  if (!copy) return Posted::kNoResource;
  copy->kept.descriptor.may_wait = head.may_wait;
  const Posted kept = keep(copy->kept, rails, rail);
  if (kept != Posted::kDone) Copy::give_back(copy->kept);
  return kept;
}

/// Whoever waits in the queue goes first, so that nobody waits for ever.
Posted Guard::admit(Kept& kept, const Rail& rail) noexcept {
  GuardHeader header = header_of(kept);
  kept.descriptor.on_complete = &on_rail_done;
  kept.descriptor.owner = &kept;
  kept.guard = this;
  kept.on = rail.endpoint;
  kept.held = true;
  kept.over = false;
  kept.status = Errc::kOk;
  {
    HotLock lock(mutex_);
    if (failed_ != Errc::kOk) return Posted::kUnreachable;
    if (next_ - base_ >= window_ || !unsent_.empty()) return Posted::kNoResource;
    kept.number = next_++;
    ring_[kept.number & mask_] = &kept;
    show_out(++out_);
  }
  header.number = kept.number;
  write_header(kept, header);
  return Posted::kDone;
}

/// Once the rail has it, it may be gone.
Posted Guard::offer(Kept& kept, const RailSet& rails, const Rail& rail) noexcept {
  const std::uint64_t state = receipts.state();
  GuardHeader header = header_of(kept);
  header.received = static_cast<std::uint32_t>(state);
  header.above = static_cast<std::uint32_t>(state >> 32);
  write_header(kept, header);
  kept.on = rail.endpoint;
  const std::size_t size = kept.descriptor.data_size;
  const Posted posted = rail.module->send(*rail.endpoint, kept.descriptor);
  rail.count(posted, size);
  if (posted == Posted::kDone) {
    told.store(state, std::memory_order_relaxed);
    settle(kept, Errc::kOk);
  } else if (posted == Posted::kUnreachable) {
    rails.kill(rail);
    rail_lost();
  }
  return posted;
}

void Guard::on_rail_done(btl::Descriptor& descriptor, Errc status) noexcept {
  Kept& kept = *static_cast<Kept*>(descriptor.owner);
  kept.guard->settle(kept, status);
}

/// The rail is done with it. What a rail took may still be lost with it: it stays until acknowledged.
void Guard::settle(Kept& kept, Errc status) noexcept {
  Fifo<Kept> ended;
  bool queued = false;
  {
    HotLock lock(mutex_);
    if (status == Errc::kShutdown && !kept.over)
      retire(kept.number, status, ended);  // held: does not end yet
    if (kept.over) {
      kept.held = false;
      ended.push_back(kept);
    } else if (status != Errc::kOk || !living(kept.on)) {
      queue_again(kept);
      queued = true;
    } else {
      kept.held = false;
    }
  }
  end_all(ended);
  if (queued) bml_.list_stalled(peer());
}

/// Refused, though it has its number. `first`: it was the first that waited.
void Guard::wait_for_turn(Kept& kept, bool first) noexcept {
  Fifo<Kept> ended;
  {
    HotLock lock(mutex_);
    if (kept.over) {
      kept.held = false;
      ended.push_back(kept);
    } else if (first) {
      unsent_.push_front(kept);
    } else {
      unsent_.push_back(kept);
    }
  }
  end_all(ended);
  bml_.list_stalled(peer());
}

void Guard::queue_again(Kept& kept) noexcept {
  GuardHeader header = header_of(kept);
  if (header.attempt != UINT8_MAX) ++header.attempt;
  write_header(kept, header);
  kept.held = true;
  unsent_.push_back(kept);
  bml_.counters_.add_shared(GuardCounter::kSentAgain);
  if (const Rail* rail = peer().rails().find(kept.on)) rail->live->add(live::RailCounter::kSentAgain);
}

bool Guard::living(const btl::Endpoint* endpoint) const noexcept {
  const RailSet& rails = peer().rails();
  const Rail* rail = rails.find(endpoint);
  return rail && rails.alive(*rail);
}

bool Guard::queue_lost() noexcept {
  if (!lost_.exchange(false, std::memory_order_acq_rel)) return false;
  HotLock lock(mutex_);
  for (std::uint32_t number = base_; number != next_; ++number) {
    Kept* kept = ring_[number & mask_];
    if (kept && !kept->held && !living(kept->on)) queue_again(*kept);
  }
  return true;
}

int Guard::send_queued() noexcept {
  int sent = 0;
  for (;;) {
    Fifo<Kept> ended;
    Kept* kept = nullptr;
    {
      HotLock lock(mutex_);
      while ((kept = unsent_.pop_front()) && kept->over) {  // acknowledged meanwhile
        kept->held = false;
        ended.push_back(*kept);
      }
    }
    end_all(ended);
    if (!kept) return sent;
    const RailSet& rails = peer().rails();
    const Rail* rail = bml_.pick(peer(), rails, kept->descriptor.data_size);
    const Posted posted = rail ? offer(*kept, rails, *rail) : Posted::kNoResource;
    if (posted == Posted::kDone || posted == Posted::kPending) {
      ++sent;
      continue;
    }
    wait_for_turn(*kept, true);
    if (posted == Posted::kNoResource) return sent;
  }
}

std::uint64_t Guard::stuck() noexcept {
  HotLock lock(mutex_);
  const Kept* kept = unsent_.front();
  return kept ? std::max<std::uint64_t>(kept->descriptor.data_size, 1) : 0;
}

std::uint32_t Guard::out() noexcept {
  HotLock lock(mutex_);
  return out_;
}

void Guard::retire(std::uint32_t number, Errc status, Fifo<Kept>& ended) noexcept {
  Kept* kept = std::exchange(ring_[number & mask_], nullptr);
  if (!kept) return;
  show_out(--out_);
  kept->over = true;
  kept->status = status;
  if (!kept->held) ended.push_back(*kept);
}

bool Guard::acknowledged(std::uint32_t received, std::uint32_t above) noexcept {
  Fifo<Kept> ended;
  {
    HotLock lock(mutex_);
    // Acknowledgements may overtake each other, by any distance: an older one says nothing new.
    if (static_cast<std::int32_t>(received - base_) < 0) return true;
    const std::uint32_t sent = next_ - base_;
    const std::uint32_t gone = received - base_;
    if (gone > sent) return false;
    if (gone + (above == 0 ? 0 : 33 - static_cast<std::uint32_t>(std::countl_zero(above))) > sent)
      return false;
    for (; base_ != received; ++base_) retire(base_, Errc::kOk, ended);
    for (; above != 0; above &= above - 1) {
      retire(received + 1 + static_cast<std::uint32_t>(std::countr_zero(above)), Errc::kOk, ended);
    }
  }
  end_all(ended);
  return true;
}

void Guard::fail(Errc status) noexcept {
  Fifo<Kept> ended;
  {
    HotLock lock(mutex_);
    failed_ = status;
    while (Kept* kept = unsent_.pop_front()) {
      kept->held = false;
      if (kept->over) ended.push_back(*kept);
    }
    for (; base_ != next_; ++base_) retire(base_, status, ended);
  }
  end_all(ended);
}

Posted Guard::tell_now(const Rail& rail) noexcept {
  const std::uint64_t state = receipts.state();
  const GuardHeader header = acknowledgement(state);
  const Posted posted = rail.module->sendi(*rail.endpoint, {&header, sizeof header, kTagGuard}, nullptr, 0);
  if (posted == Posted::kDone) told.store(state, std::memory_order_relaxed);
  return posted;
}

/// What a rail still holds does not count as said.
Posted Guard::tell(const Rail& rail) noexcept {
  Copy* copy = Copy::take({nullptr, 0, 0}, nullptr, 0, 0);
  if (!copy) return Posted::kNoResource;
  Kept& kept = copy->kept;
  fill_header(kept, GuardKind::kAcknowledgement, 0, nullptr, 0, false);
  write_header(kept, acknowledgement(receipts.state()));
  kept.guard = this;
  kept.descriptor.owner = &kept;
  kept.descriptor.on_complete = &on_told;
  telling.store(true, std::memory_order_release);
  const Posted posted = rail.module->send(*rail.endpoint, kept.descriptor);
  if (posted == Posted::kDone) {
    on_told(kept.descriptor, Errc::kOk);
  } else if (posted != Posted::kPending) {
    telling.store(false, std::memory_order_release);
    Copy::give_back(kept);
  }
  return posted;
}

void Guard::on_told(btl::Descriptor& descriptor, Errc status) noexcept {
  Kept& kept = *static_cast<Kept*>(descriptor.owner);
  Guard& guard = *kept.guard;
  const GuardHeader header = header_of(kept);
  if (status == Errc::kOk)
    guard.told.store(header.received | static_cast<std::uint64_t>(header.above) << 32,
                     std::memory_order_relaxed);
  Copy::give_back(kept);
  guard.telling.store(false, std::memory_order_release);
}

bool Guard::doubt() noexcept {
  // Pairs with `loses_with`: either that finds the doubt, or this that the rail broke.
  doubts_.fetch_add(1, std::memory_order_seq_cst);
  return !broke_.load(std::memory_order_seq_cst);
}

bool Guard::loses_with(const btl::Endpoint& endpoint) noexcept {
  if (&endpoint != unnumbered_.load(std::memory_order_acquire)) return false;
  broke_.store(true, std::memory_order_seq_cst);
  return doubts_.load(std::memory_order_seq_cst) != 0;
}

void Guard::mark(const RailSet& rails, const Rail& rail) noexcept {
  if ((rail.limits.flags & btl::kFlagOrdered) == 0)
    return;  // what went before may arrive after: it proves nothing
  Copy* copy = Copy::take({nullptr, 0, 0}, nullptr, 0, 0);
  if (!copy) return;  // the doubt stays
  fill_header(copy->kept, GuardKind::kMark, 0, nullptr, 0, true);
  copy->kept.on_end = [](Kept& kept, Errc status) noexcept {
    Guard& guard = *kept.guard;
    // Sent again, the copy that arrived may have come over another rail.
    const bool only_there =
        kept.on == guard.unnumbered_.load(std::memory_order_acquire) && header_of(kept).attempt == 0;
    if (status == Errc::kOk && only_there) guard.doubts_.fetch_sub(1, std::memory_order_seq_cst);
    Copy::give_back(kept);
  };
  if (keep(copy->kept, rails, rail) != Posted::kDone) Copy::give_back(copy->kept);
}

}  // namespace hawser::bml
