// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "mpi/coll/shm_memory.hpp"
#include "mpi/op.hpp"

namespace hawser::mpi::coll {

/// Whether a result of `op` has other bits if its operands are grouped otherwise.
bool grouping_counts(const Op& op, const Datatype& type) noexcept;

/// How the operands of all members become one result: in the groups in which the collective over messages
/// would take them. So a program that calls the same reduction twice gets the same bits twice, whichever way
/// each went.
class Fold {
 public:
  /// One operand after the other: the fastest.
  static Fold in_a_row(int members) noexcept;
  /// As allreduce, `halving` or not (halving.hpp), and as reduce.
  static Fold of_allreduce(int members, bool halving) noexcept;
  static Fold of_reduce(int members, int root, bool halving) noexcept;

  /// Groups wait for each other, so that at most kBlock bytes can be done at once.
  bool has_groups() const noexcept { return has_groups_; }
  static constexpr std::uint64_t kBlock = 4UL * 1024;

  /// out = the operands' reduction, `bytes` long; operand(i): the address of member i's.
  template <class Operand>
  void run(OpKernel kernel, std::uint64_t count, std::uint64_t bytes, char* out,
           Operand&& operand) const noexcept {
    alignas(kCacheLine) char held[kHeld][kBlock];
    char* at[kHeld + 1] = {out};
    for (unsigned i = 0; i < kHeld; ++i) at[i + 1] = held[i];
    unsigned top = 0;
    for (unsigned i = 0; i < length_; ++i) {
      const Step step = steps_[i];
      if (step.what == What::kTake) {
        std::memcpy(at[i == 0 ? 0 : ++top], operand(step.member), bytes);
      } else if (step.what == What::kTakeIn) {
        kernel(operand(step.member), at[top], count);
      } else {
        kernel(at[top], at[top - 1], count);
        --top;
      }
    }
  }

 private:
  enum class What : std::uint8_t {
    kTake,    // a member's operand begins a group
    kTakeIn,  // it joins the group at hand, from the left
    kJoin,    // the group at hand joins the one before it, from the left
  };
  struct Step {
    What what;
    std::uint8_t member;
  };
  static constexpr unsigned kHeld = 6;  // groups that wait for another: the depth of the tree
  static_assert(kMaxTeam <= 1 << (kHeld - 1));

  void add(What what, int member = 0) noexcept {
    steps_[length_++] = {what, static_cast<std::uint8_t>(member)};
    has_groups_ = has_groups_ || what == What::kJoin;
  }
  template <class Tree, class Node>
  void add_tree(const Tree& tree, Node node) noexcept;

  std::array<Step, 2UL * kMaxTeam> steps_;
  unsigned length_ = 0;
  bool has_groups_ = false;
};

}  // namespace hawser::mpi::coll
