// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/shm_team.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "mpi/coll/shm_wait.hpp"
#include "mpi/coll/spread.hpp"

namespace hawser::mpi::coll {

namespace {

constexpr unsigned kSpins = 2000;  // looks at a line before others are served
// A rank that shares its core gives it to the one that it waits for.
constexpr unsigned kYields = 20;
constexpr unsigned kLooks = 100;
constexpr unsigned kNearMiss = 50;     // looks
constexpr unsigned kMostPutOff = 600;  // turns: some 0.2 us
constexpr std::uint64_t kDoneInterval = kSlots / 4;
constexpr std::uint64_t kPassInterval = kSlots;  // operations: messages advance at least so often
constexpr unsigned kMostDoublings = 10;          // of the interval between two moves to another core

}  // namespace

Team::Team(TeamMemory memory, std::vector<std::uint32_t> world_ranks, int rank, bool light, bool spreads)
    : memory_(std::move(memory)),
      own_(&memory_.member(rank)),
      rank_(rank),
      size_(static_cast<int>(world_ranks.size())),
      light_(light),
      spins_(library().runtime->engine().wait_params().spin_ns == 0 ? 1 : kSpins),
      spreads_(spreads && shares_cores()),
      world_ranks_(std::move(world_ranks)) {}

Outcome Team::end() noexcept {
  done_ = stamp(operation_, kAllSteps);
  // The others need to know only when they are about to overwrite what we might still read.
  if (given_ > 1 || failed_ || operation_ % kDoneInterval == 0) publish(done_);
  if (operation_ % kPassInterval == 0) {
    library().pml->progress();
    if (spreads_) spread();
  }
  failed_ = broken_;
  return broken_ ? outcome_ : std::exchange(outcome_, {});
}

Outcome Team::refuse(TeamKind kind) noexcept {
  begin(kind, (std::uint64_t{1} << kBytesBits) - 1);  // no member ever gives so much
  note(Errc::kTruncated, kWhyOwnSizes);
  if (claim_slot()) say();
  return end();
}

void Team::publish(std::uint64_t done) noexcept {
  if (done <= published_) return;
  published_ = done;
  own().done.store(done, std::memory_order_release);
  tell_sleepers();
}

void Team::note(Errc error, const char* why) noexcept {
  failed_ = true;
  if (outcome_.error == Errc::kOk) outcome_ = {error, why};
}

void Team::disagreed() noexcept {
  note(Errc::kTruncated, kWhyWrongSize);
}

bool Team::hear_all() noexcept {
  if (shares_cores()) {
    note_core();
  } else {
    look_when_likely((rank_ + 1) % size_);
  }
  for (int i = 1; i < size_; ++i) {
    const int member = (rank_ + i) % size_;
    if (shares_cores() && !has_said(member)) await_sharing(member);
    if (!hear(member)) return false;
  }
  return true;
}

/// Puts the first look off until the member has likely spoken. A look that comes too early takes the line
/// from its writer, who has to fetch it back before it can write: where cores are far apart, two ranks that
/// do so in turn need twice as long. Misses by little put it off for longer; what takes long says nothing.
void Team::look_when_likely(int member) noexcept {
  for (unsigned i = 0; i < put_off_; ++i) asm volatile("");
  unsigned looks = 0;
  while (looks < kNearMiss && !has_said(member)) ++looks, cpu_relax();
  if (looks != 0 && looks < kNearMiss) {
    put_off_ = std::min(put_off_ + 16, kMostPutOff);
  } else if (put_off_ != 0) {
    --put_off_;
  }
}

/// A member that has not spoken yet may wait for our core: then it gets it. If all such are elsewhere, they
/// are running or wait for others there, and what they say comes sooner than we would be back.
void Team::await_sharing(int member) noexcept {
  publish(done_);
  for (unsigned turn = 0; turn < kYields; ++turn) {
    if (core_is_wanted()) {
      ::sched_yield();
      if (has_said(member)) return;
      continue;
    }
    for (unsigned i = 0; i < kLooks; ++i) {
      if (has_said(member)) return;
      cpu_relax();
    }
  }
}

std::uint32_t Team::note_core() noexcept {
  const auto core = static_cast<std::uint32_t>(::sched_getcpu() + 1);
  if (own().core.load(std::memory_order_relaxed) != core) own().core.store(core, std::memory_order_relaxed);
  return core;
}

/// Goes to a less crowded core. After each move it waits twice as long before the next, in case that
/// something else wants that core and the kernel moves us back.
void Team::spread() noexcept {
  note_core();
  if (g_many_threads || operation_ < next_look_) return;
  std::array<std::uint32_t, kMaxTeam> cores{};
  for (int i = 0; i < size_; ++i)
    cores[static_cast<std::size_t>(i)] = memory_.member(i).core.load(std::memory_order_relaxed);
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const int core = less_crowded_core({cores.data(), static_cast<std::size_t>(size_)},
                                     static_cast<std::size_t>(rank_), allowed);
  if (core < 0 || !move_to_core(core, allowed)) return;
  note_core();
  next_look_ = operation_ + (kPassInterval << moves_);
  moves_ = std::min(moves_ + 1, kMostDoublings);
}

bool Team::core_is_wanted() noexcept {
  const std::uint32_t here = note_core();
  for (int i = 0; i < size_; ++i) {
    if (i == rank_ || has_said(i)) continue;
    const std::uint32_t core = memory_.member(i).core.load(std::memory_order_relaxed);
    if (core == here || core == 0 || here == 0) return true;
  }
  return false;
}

bool Team::done_by_all(std::uint64_t until) const noexcept {
  for (int i = 0; i < size_; ++i) {
    if (i != rank_ && memory_.member(i).done.load(std::memory_order_acquire) < until) return false;
  }
  return true;
}

bool Team::claim_slot_slow() noexcept {
  const std::uint64_t until = operation_ - kSlots;
  if (!await([&] { return done_by_all(stamp(until, kAllSteps)); })) return false;
  past_ = operation_ - 1;  // most are further than they need be: the next look is so much later
  for (int i = 0; i < size_; ++i) {
    if (i != rank_) past_ = std::min(past_, finished(memory_.member(i).done.load(std::memory_order_acquire)));
  }
  return true;
}

unsigned char* Team::claim_chunk() noexcept {
  if (!chunk_free() && !await([this] { return done_by_all(chunk_until_[next_chunk_ % kChunks]); }))
    return nullptr;
  return memory_.chunk(rank_, next_chunk_ % kChunks);
}

void Team::give() noexcept {
  const std::uint64_t now = stamp(operation_, ++given_);
  chunk_until_[next_chunk_ % kChunks] = now;
  if (given_ == 1) {
    const std::uint32_t first = next_chunk_ % kChunks;
    std::memcpy(payload(), &first, sizeof first);
    say();
  } else {
    own().given.store(now, std::memory_order_release);
    tell_sleepers();
  }
  ++next_chunk_;
}

bool Team::await_slow(bool (*ready)(void*), void* context) noexcept {
  publish(done_);
  for (unsigned i = 0; i < kYields && shares_cores(); ++i) {
    ::sched_yield();
    if (ready(context)) return true;
  }
  if (a_member_is_gone()) return false;
  TeamWait wait{*this, ready, context};
  team_waits().add(wait);
  bool is_ready = false;
  library().pml->wait_until([&] { return (is_ready = ready(context)) || a_member_is_gone(); });
  team_waits().remove(wait);
  return is_ready;
}

bool Team::a_member_is_gone() noexcept {
  pml::Pml& pml = *library().pml;
  if (HAWSER_LIKELY(!pml.any_failed())) return false;
  for (const std::uint32_t rank : world_ranks_) {
    const char* why = pml.why_failed(rank);
    if (!why) continue;
    broken_ = true;
    note(Errc::kPeerGone, why);
    return true;
  }
  return false;
}

void Team::fall_asleep() noexcept {
  own().asleep.store(1, std::memory_order_relaxed);
  memory_.header().sleepers.fetch_add(1, std::memory_order_relaxed);
}

void Team::wake_up() noexcept {
  own().asleep.store(0, std::memory_order_relaxed);
  memory_.header().sleepers.fetch_sub(1, std::memory_order_relaxed);
}

void Team::wake_sleepers() noexcept {
  for (int i = 0; i < size_; ++i) {
    auto& asleep = memory_.member(i).asleep;
    if (i == rank_ || asleep.load(std::memory_order_relaxed) == 0 || asleep.exchange(0) == 0) continue;
    // No room for the message that wakes: the next thing that is said tries again.
    if (!wake_rank(world_ranks_[static_cast<std::size_t>(i)])) asleep.store(1);
  }
}

}  // namespace hawser::mpi::coll
