// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "framework/base/cpu.hpp"
#include "framework/base/heavy_barrier.hpp"
#include "mpi/coll/fold.hpp"
#include "mpi/coll/operation.hpp"
#include "mpi/coll/shm_memory.hpp"

namespace hawser::mpi::coll {

/// What members must agree on in an operation.
enum class TeamKind : std::uint8_t { kBarrier, kBcast, kReduce, kAllreduce, kAllgather, kAlltoall };

/// The members of a communicator that is on one node, and the memory they share: what blocking collectives
/// there are made of. One operation at a time, from one thread, as the standard wants it of a communicator.
///
/// Operations are counted, and all members count alike. In operation k a member says what it has to say in
/// its slot k % kSlots, a few bytes with it; more goes through its chunks, in turn, each followed by a stamp.
/// A stamp is an operation and a step in it, so stamps only grow. A member is `done` up to the stamp after
/// which it needs nobody's slots and chunks any more, and what others are not done with is not written again.
/// So operations need no barrier between them, and a member that only gives may be kSlots operations ahead.
///
/// A slot also says what its writer believes the operation to be. A member that finds something else has an
/// error, and is done with that operation; all go on with the next one.
class Team {
 public:
  /// `spreads`: the members are all ranks of this machine, so they can tell which cores are crowded.
  Team(TeamMemory memory, std::vector<std::uint32_t> world_ranks, int rank, bool light, bool spreads);
  ~Team() = default;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  std::uint64_t chunk_size() const noexcept { return memory_.chunk_size(); }

  // --- an operation: begin, then what it is made of, then end
  /// `bytes`: equal in all members.
  void begin(TeamKind kind, std::uint64_t bytes) noexcept {
    ++operation_;
    slot_ = slot_for(operation_);
    what_ = std::uint64_t{static_cast<std::uint8_t>(kind)} << kBytesBits | bytes;
    given_ = 0;
  }
  /// Nothing is needed any more.
  Outcome end() noexcept;
  /// The same, when the end of all members' last operation is known: each has been heard in this one.
  Outcome end_together() noexcept {
    past_ = operation_ - 1;
    return end();
  }
  /// An operation that this member cannot take part in, as its own arguments do not fit each other: it fails,
  /// and so do the others, instead of waiting for us.
  Outcome refuse(TeamKind kind) noexcept;

  // --- slots
  /// Our own slot, once nobody needs what it says; false: the operation failed.
  bool claim_slot() noexcept { return HAWSER_LIKELY(operation_ - past_ <= kSlots) || claim_slot_slow(); }
  unsigned char* payload() noexcept { return own_slot().payload; }
  /// Says what is in the payload.
  void say() noexcept {
    own_slot().what = what_;
    own_slot().operation.store(operation_, std::memory_order_release);
    prefetch_for_write(&own_->slots[slot_for(operation_ + 2)]);
    tell_sleepers();
  }
  bool has_said(int member) const noexcept {
    return slot_of(member).operation.load(std::memory_order_acquire) == operation_;
  }
  /// Waits until `member` has said something. False: the operation failed.
  bool hear(int member) noexcept {
    return await([&] { return has_said(member); }) && agrees(slot_of(member));
  }
  /// The same, of a member that may be many operations ahead: what it says in the next ones is fetched then.
  bool follow(int member) noexcept {
    if (HAWSER_UNLIKELY(!has_said(member))) {
      behind_ = 0;
      return hear(member);
    }
    if (++behind_ > kAhead) __builtin_prefetch(&memory_.member(member).slots[slot_for(operation_ + kAhead)]);
    return agrees(slot_of(member));
  }
  /// All others.
  bool hear_all() noexcept;
  // What is said in one piece of at most kWhole bytes, which every chunk holds: in the slot if it fits there.
  static constexpr std::uint64_t kWhole = 8UL * 1024;
  /// Where it goes. Null: the operation failed.
  unsigned char* claim_whole(std::uint64_t bytes) noexcept {
    return bytes <= TeamSlot::kPayload ? payload() : claim_chunk();
  }
  void say_whole(std::uint64_t bytes) noexcept { bytes <= TeamSlot::kPayload ? say() : give(); }
  const unsigned char* whole_of(int member, std::uint64_t bytes) const noexcept {
    return bytes <= TeamSlot::kPayload ? payload_of(member) : chunk_of(member, 0);
  }
  const unsigned char* payload_of(int member) const noexcept { return slot_of(member).payload; }

  // --- chunks: the first of an operation is given with the slot, the others with a stamp
  /// Whether the next chunk can be written.
  bool chunk_free() noexcept {
    const std::uint64_t until = chunk_until_[next_chunk_ % kChunks];
    return until <= stamp(past_, kAllSteps) || done_by_all(until);
  }
  /// The next chunk; waits until it can be written. Null: the operation failed.
  unsigned char* claim_chunk() noexcept;
  /// What was claimed last is filled.
  void give() noexcept;
  unsigned given() const noexcept { return given_; }
  /// How many chunks that member has given in this operation, or more if it is ahead.
  unsigned given_by(int member) const noexcept {
    if (slot_of(member).operation.load(std::memory_order_acquire) != operation_) return 0;
    const std::uint64_t last = memory_.member(member).given.load(std::memory_order_acquire);
    if (last < stamp(operation_, 1)) return 1;
    return last > stamp(operation_, kAllSteps) ? kAllSteps : static_cast<unsigned>(last & kAllSteps);
  }
  /// Its chunk number `index` of this operation, from 0. Precondition: given, and we are not done with it.
  const unsigned char* chunk_of(int member, unsigned index) const noexcept {
    std::uint32_t first;
    std::memcpy(&first, slot_of(member).payload, sizeof first);
    return memory_.chunk(member, (first + index) % kChunks);
  }
  /// Waits until that member has given `count` chunks.
  bool await_given(int member, unsigned count) noexcept {
    return await([&] { return given_by(member) >= count; }) && agrees(slot_of(member));
  }
  /// Whether what that member has said is of this operation. Precondition: given_by is not 0.
  bool agrees_with(int member) noexcept { return agrees(slot_of(member)); }
  /// The first `count` chunks of all are not needed any more.
  void done_with(unsigned count) noexcept { publish(stamp(operation_, count)); }

  /// Waits for something that other members write. False: one of them is gone, and the outcome is noted.
  template <class Ready>
  bool await(Ready&& ready) noexcept {
    for (unsigned i = 0; i < spins_; ++i) {
      if (ready()) return true;
      cpu_relax();
    }
    // Each look may be another thread's: `ready` changes nothing.
    return await_slow(
        [](void* it) { return static_cast<bool>((*static_cast<std::remove_reference_t<Ready>*>(it))()); },
        &ready);
  }
  void note(Errc error, const char* why) noexcept;
  /// All members have mapped the memory.
  void close_fd() noexcept { memory_.close_fd(); }
  bool failed() const noexcept { return failed_; }

  // --- for reductions: in which order operands were taken last, since programs repeat themselves
  struct Plan {
    int kind = -1;  // what `order` is for: the reductions know; -1: nothing yet
    Fold order;
  };
  Plan& plan() noexcept { return plan_; }

  // --- for TeamWaits
  bool light() const noexcept { return light_; }
  void fall_asleep() noexcept;
  void wake_up() noexcept;

 private:
  static constexpr unsigned kBytesBits = 56;
  static constexpr unsigned kAhead = 8;
  static constexpr unsigned kStepBits = 24;
  static constexpr std::uint64_t kAllSteps = (1u << kStepBits) - 1;

  static std::uint64_t stamp(std::uint64_t operation, std::uint64_t step) noexcept {
    return operation << kStepBits | step;
  }
  /// The last operation that is wholly done at that stamp.
  static std::uint64_t finished(std::uint64_t stamp) noexcept { return ((stamp + 1) >> kStepBits) - 1; }
  TeamMember& own() const noexcept { return *own_; }
  TeamSlot& own_slot() const noexcept { return own_->slots[slot_]; }
  const TeamSlot& slot_of(int member) const noexcept { return memory_.member(member).slots[slot_]; }
  bool agrees(const TeamSlot& slot) noexcept {
    if (HAWSER_LIKELY(slot.what == what_)) return true;
    disagreed();
    return false;
  }
  void disagreed() noexcept;
  bool claim_slot_slow() noexcept;
  void look_when_likely(int member) noexcept;
  bool shares_cores() const noexcept { return spins_ == 1; }
  void await_sharing(int member) noexcept;
  std::uint32_t note_core() noexcept;
  bool core_is_wanted() noexcept;
  void spread() noexcept;
  bool done_by_all(std::uint64_t until) const noexcept;
  void publish(std::uint64_t done) noexcept;
  void tell_sleepers() noexcept {
    light_fence(light_);
    if (HAWSER_UNLIKELY(memory_.header().sleepers.load(std::memory_order_relaxed) != 0)) wake_sleepers();
  }
  void wake_sleepers() noexcept;
  bool await_slow(bool (*ready)(void*), void* context) noexcept;
  bool a_member_is_gone() noexcept;

  TeamMemory memory_;
  TeamMember* own_;
  const int rank_;
  const int size_;
  const bool light_;
  unsigned spins_;
  const bool spreads_;
  unsigned put_off_ = 0;         // turns of a loop: the first look
  unsigned behind_ = 0;          // operations in a row in which the one followed had spoken
  unsigned moves_ = 0;           // to another core
  std::uint64_t next_look_ = 0;  // operation
  std::uint64_t operation_ = 0;
  std::uint64_t slot_ = 0;  // of this operation
  std::uint64_t past_ = 0;  // every member is done with that operation
  std::uint64_t what_ = 0;
  std::uint64_t done_ = 0;       // what we have finished
  std::uint64_t published_ = 0;  // and what of it the others know
  unsigned given_ = 0;           // chunks in this operation
  bool failed_ = false;          // the operation
  bool broken_ = false;          // a member is gone: no operation ends well any more
  std::uint32_t next_chunk_ = 0;
  std::array<std::uint64_t, kChunks> chunk_until_{};  // the stamp after which each can be written again
  std::vector<std::uint32_t> world_ranks_;
  Outcome outcome_;
  Plan plan_;
};

}  // namespace hawser::mpi::coll
