// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mpi/coll/fold.hpp"
#include "mpi/coll/halving.hpp"
#include "mpi/coll/shm_coll.hpp"

// Reductions over shared memory. Items lie there as in the program's memory: predefined operations work on
// predefined types only, which are alike in all members.

namespace hawser::mpi::coll {

namespace {

constexpr std::uint64_t kBlock = 8UL * 1024;  // bytes; stays in the nearest cache over all operands

std::uint64_t memory_bytes(const Items& items) noexcept {
  return items.count * static_cast<std::uint64_t>(items.type->extent);
}

/// As over messages, where that makes a difference. `root`: who gets the result; -1: all. Valid until the
/// next call.
const Fold& order_of(Team& team, const Op& op, const Items& items, int root) noexcept {
  Team::Plan& plan = team.plan();
  const bool counts = grouping_counts(op, *items.type);
  const bool halving = counts && use_halving(Core(team.size()), op, items);
  const int kind = counts ? 2 * (root + 2) + (halving ? 1 : 0) : 0;
  if (plan.kind == kind) return plan.order;
  plan.kind = kind;
  plan.order = !counts    ? Fold::in_a_row(team.size())
               : root < 0 ? Fold::of_allreduce(team.size(), halving)
                          : Fold::of_reduce(team.size(), root, halving);
  return plan.order;
}

/// out = the reduction of `count` items of all operands: by all members alike, so with the same bits.
template <class Operand>
void fold(const Fold& order, OpKernel kernel, const Datatype& type, std::uint64_t count, char* out,
          Operand&& operand) noexcept {
  const auto extent = static_cast<std::uint64_t>(type.extent);
  const std::uint64_t block = order.has_groups() ? Fold::kBlock : kBlock;
  const std::uint64_t most = count * extent <= block ? count : std::max<std::uint64_t>(block / extent, 1);
  for (std::uint64_t first = 0; first < count; first += most) {
    const std::uint64_t items = std::min(most, count - first);
    const std::uint64_t at = first * extent;
    order.run(kernel, items, items * extent, out + at, [&](int i) { return operand(i) + at; });
  }
}

/// Each member reduces everything itself. Its own items it does not read from where the others read them:
/// those lines are theirs by then, and would have to come back.
Outcome allreduce_whole(Team& team, const Op& op, const Items& from, const Items& to,
                        std::uint64_t bytes) noexcept {
  unsigned char* const given = team.claim_whole(bytes);
  if (!given) return team.end();
  if (bytes != 0) std::memcpy(given, from.base, bytes);
  team.say_whole(bytes);
  if (bytes == 0) return team.end();
  const Fold& order = order_of(team, op, from, -1);  // while what the others say is under way
  const OpKernel kernel = find_kernel(op.kind, to.type->basic);
  alignas(16) unsigned char kept[TeamSlot::kPayload];
  const void* own = from.base;
  if (own == to.base) own = bytes <= sizeof kept ? std::memcpy(kept, own, bytes) : given;
  if (!team.hear_all()) return team.end();
  fold(order, kernel, *to.type, to.count, to.base, [&](int i) {
    return i == team.rank() ? static_cast<const unsigned char*>(own) : team.whole_of(i, bytes);
  });
  return team.end_together();
}

/// The root's own items may lie where the result goes, so the result is made in a chunk.
Outcome reduce_at_root(Team& team, const Op& op, const Items& from, const Items& to,
                       std::uint64_t bytes) noexcept {
  unsigned char* const chunk = team.claim_chunk();
  if (!chunk || !team.hear_all()) {
    if (team.claim_slot()) team.say();  // members that expect more of us see that we do not agree
    return team.end();
  }
  const unsigned char* operands[kMaxTeam];
  for (int i = 0; i < team.size(); ++i) {
    operands[i] = team.whole_of(i, bytes);
  }
  operands[team.rank()] = reinterpret_cast<const unsigned char*>(from.base);
  fold(order_of(team, op, from, team.rank()), find_kernel(op.kind, from.type->basic), *from.type, from.count,
       reinterpret_cast<char*>(chunk), [&](int i) { return operands[i]; });
  team.done_with(1);
  std::memcpy(to.base, chunk, bytes);
  return team.end_together();
}

/// Long ones go in rounds. In each, every member has a part of the items: it gets the others' share of that
/// part, reduces, and gives the result to all. Each round's two exchanges overlap with those of its
/// neighbours.
class Rounds {
 public:
  Rounds(Team& team, const Op& op, const Items& from, const Items& to, int root) noexcept
      : team_(team),
        op_(op),
        from_(from),
        to_(to),
        root_(root),
        bytes_(memory_bytes(from)),
        extent_(static_cast<std::uint64_t>(from.type->extent)),
        size_(static_cast<std::uint64_t>(team.size())),
        order_(order_of(team, op, from, root)) {
    const std::uint64_t whole = (bytes_ / size_ / extent_ + 1) * extent_;
    part_ = std::max(std::min(team.chunk_size() / size_, whole) / extent_, std::uint64_t{1}) * extent_;
    if (part_ > 64 && part_ % 64 != 0 && 64 % extent_ == 0) part_ = part_ / 64 * 64;
    rounds_ = static_cast<unsigned>((bytes_ + size_ * part_ - 1) / (size_ * part_));
  }

  void run() noexcept {
    for (unsigned r = 0; r < rounds_ + 2; ++r) {
      if (r < rounds_ && !give(r)) return;
      if (r >= 1 && r - 1 < rounds_ && !reduce(r - 1)) return;
      if (r >= 2 && !collect(r - 2)) return;
    }
  }

 private:
  // The order in which a member gives its chunks: shares 0, shares 1, results 0, shares 2, results 1, ...
  unsigned shares_chunk(unsigned r) const noexcept { return r == 0 ? 1 : 2 * r; }
  unsigned results_chunk(unsigned r) const noexcept { return r + 1 < rounds_ ? 2 * r + 3 : 2 * rounds_; }
  bool collects() const noexcept { return root_ < 0 || root_ == team_.rank(); }

  /// Where member i's part of round r begins, and how long it is.
  std::uint64_t begin(unsigned r, int i) const noexcept {
    return std::min(bytes_, (r * size_ + static_cast<std::uint64_t>(i)) * part_);
  }
  std::uint64_t length(unsigned r, int i) const noexcept { return std::min(part_, bytes_ - begin(r, i)); }

  bool give(unsigned r) noexcept {
    unsigned char* const chunk = team_.claim_chunk();
    if (!chunk) return false;
    const std::uint64_t first = begin(r, 0);
    const auto copy_parts = [&](int from_part, int to_part) {
      const std::uint64_t at = begin(r, from_part), end = begin(r, to_part);
      std::memcpy(chunk + (at - first), from_.base + at, end - at);
    };
    copy_parts(0, team_.rank());
    copy_parts(team_.rank() + 1, team_.size());
    team_.give();
    return true;
  }

  bool await_all(unsigned chunk) noexcept {
    for (int i = 1; i < team_.size(); ++i) {
      if (!team_.await_given((team_.rank() + i) % team_.size(), chunk)) return false;
    }
    return true;
  }

  bool reduce(unsigned r) noexcept {
    const int me = team_.rank();
    if (!await_all(shares_chunk(r))) return false;
    unsigned char* const chunk = team_.claim_chunk();
    if (!chunk) return false;
    const std::uint64_t in_chunk = begin(r, me) - begin(r, 0);
    const unsigned char* operands[kMaxTeam];
    for (int i = 0; i < team_.size(); ++i) {
      operands[i] = i == me ? reinterpret_cast<const unsigned char*>(from_.base) + begin(r, me)
                            : team_.chunk_of(i, shares_chunk(r) - 1) + in_chunk;
    }
    fold(order_, find_kernel(op_.kind, from_.type->basic), *from_.type, length(r, me) / extent_,
         reinterpret_cast<char*>(chunk), [&](int i) { return operands[i]; });
    team_.give();
    team_.done_with(shares_chunk(r));
    if (collects()) std::memcpy(to_.base + begin(r, me), chunk, length(r, me));
    return true;
  }

  bool collect(unsigned r) noexcept {
    if (collects()) {
      if (!await_all(results_chunk(r))) return false;
      for (int i = 1; i < team_.size(); ++i) {
        const int member = (team_.rank() + i) % team_.size();
        std::memcpy(to_.base + begin(r, member), team_.chunk_of(member, results_chunk(r) - 1),
                    length(r, member));
      }
    }
    team_.done_with(results_chunk(r));
    return true;
  }

  Team& team_;
  const Op& op_;
  const Items from_;
  const Items to_;
  const int root_;  // who gets the result; -1: all
  const std::uint64_t bytes_;
  const std::uint64_t extent_;
  const std::uint64_t size_;
  const Fold& order_;
  std::uint64_t part_ = 0;  // of a member in a round, bytes
  unsigned rounds_ = 0;
};

}  // namespace

Outcome allreduce(Team& team, const Op& op, const Items& from, const Items& to) noexcept {
  const std::uint64_t bytes = memory_bytes(from);
  team.begin(TeamKind::kAllreduce, bytes);
  if (!team.claim_slot()) return team.end();
  if (bytes <= Team::kWhole) return allreduce_whole(team, op, from, to, bytes);
  Rounds(team, op, from, to, -1).run();
  return team.failed() ? team.end() : team.end_together();
}

Outcome reduce(Team& team, const Op& op, const Items& from, const Items& to, int root) noexcept {
  const std::uint64_t bytes = memory_bytes(from);
  team.begin(TeamKind::kReduce, bytes);
  if (bytes == 0) {
    // Nobody need be waited for; but a member that gives something waits for all, and is told.
    if (team.claim_slot()) team.say();
    return team.end();
  }
  const bool whole = bytes <= Team::kWhole;
  if (whole && team.rank() == root) return reduce_at_root(team, op, from, to, bytes);
  if (!team.claim_slot()) return team.end();
  if (!whole) {
    Rounds(team, op, from, to, root).run();
    return team.failed() ? team.end() : team.end_together();
  }
  if (unsigned char* const own = team.claim_whole(bytes)) {
    std::memcpy(own, from.base, bytes);
    team.say_whole(bytes);
    team.done_with(1);
  }
  return team.end();
}

}  // namespace hawser::mpi::coll
