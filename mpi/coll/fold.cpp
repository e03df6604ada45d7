// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/fold.hpp"

#include <bit>

#include "mpi/coll/halving.hpp"

namespace hawser::mpi::coll {

namespace {

/// A node of a tree: `width` leaves from `first` on.
struct Node {
  int first;
  int width;
};
struct Halves {
  Node left;
  Node right;  // width 0: there is none
};
/// The members at a leaf: one, or with it one below, which is taken in first.
struct Leaf {
  int member;
  int below = -1;
};

/// What both ways of allreduce have in common.
struct CoreTree {
  Core core;
  Leaf leaf(int index) const noexcept {
    const int member = core.rank(index);
    return {member, core.has_outsider(member) ? member - 1 : -1};
  }
};

/// Groups grow from neighbours.
struct Doubling : CoreTree {
  Halves halves(Node node) const noexcept {
    const int half = node.width / 2;
    return {{node.first, half}, {node.first + half, half}};
  }
};

/// Groups grow from members that are far apart: a node's leaves are core.size / width apart.
struct Halving : CoreTree {
  Halves halves(Node node) const noexcept {
    return {{node.first, node.width / 2}, {node.first + core.size / node.width, node.width / 2}};
  }
};

/// All members from the root on, in a tree that is cut off at its end.
struct FromRoot {
  int members;
  int root;
  Leaf leaf(int index) const noexcept { return {(index + root) % members}; }
  Halves halves(Node node) const noexcept {
    const int half = node.width / 2;
    return {{node.first, half}, {node.first + half, node.first + half < members ? half : 0}};
  }
};

}  // namespace

bool grouping_counts(const Op& op, const Datatype& type) noexcept {
  if (op.kind != Op::Kind::kSum && op.kind != Op::Kind::kProd) return false;
  switch (type.basic) {
    case Basic::kFloat:
    case Basic::kDouble:
    case Basic::kLongDouble:
    case Basic::kQuad:
    case Basic::kFloatComplex:
    case Basic::kDoubleComplex:
    case Basic::kLongDoubleComplex:
    case Basic::kQuadComplex:
      return true;
    default:
      return false;
  }
}

/// The right half first: the left one joins it.
template <class Tree, class Node>
void Fold::add_tree(const Tree& tree, Node node) noexcept {
  if (node.width == 1) {
    const Leaf leaf = tree.leaf(node.first);
    add(What::kTake, leaf.member);
    if (leaf.below >= 0) add(What::kTakeIn, leaf.below);
    return;
  }
  const auto [left, right] = tree.halves(node);
  if (right.width == 0) return add_tree(tree, left);
  add_tree(tree, right);
  if (left.width == 1 && tree.leaf(left.first).below < 0)
    return add(What::kTakeIn, tree.leaf(left.first).member);
  add_tree(tree, left);
  add(What::kJoin);
}

Fold Fold::in_a_row(int members) noexcept {
  Fold fold;
  fold.add(What::kTake, members - 1);
  for (int i = members - 2; i >= 0; --i) fold.add(What::kTakeIn, i);
  return fold;
}

Fold Fold::of_allreduce(int members, bool halving) noexcept {
  const Core core(members);
  Fold fold;
  halving ? fold.add_tree(Halving{{core}}, Node{0, core.size})
          : fold.add_tree(Doubling{{core}}, Node{0, core.size});
  return fold;
}

Fold Fold::of_reduce(int members, int root, bool halving) noexcept {
  if (halving) return of_allreduce(members, true);
  Fold fold;
  const auto width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(members)));
  fold.add_tree(FromRoot{members, root}, Node{0, width});
  return fold;
}

}  // namespace hawser::mpi::coll
