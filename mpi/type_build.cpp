// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/type_build.hpp"

#include <algorithm>
#include <utility>

namespace hawser::mpi {
namespace {

constexpr Wide kLimit = Wide{1} << 62;  // sums and products of a few such numbers do not overflow Wide

bool fits(Wide value) noexcept {
  return value > -kLimit && value < kLimit;
}

/// How far the item farthest in either direction is from the first one.
std::pair<Wide, Wide> reach(const Blocks& blocks, const Datatype& type) noexcept {
  const Wide across = blocks.stride * (blocks.count - 1);
  const Wide along = Wide{type.extent} * (blocks.length - 1);
  const Wide zero = 0;
  return {blocks.displacement + std::min(zero, across) + std::min(zero, along),
          blocks.displacement + std::max(zero, across) + std::max(zero, along)};
}

}  // namespace

void TypeBuilder::Bounds::include(Wide from, Wide to) noexcept {
  first = any ? std::min(first, from) : from;
  last = any ? std::max(last, to) : to;
  any = true;
}

void TypeBuilder::add(const Blocks& blocks, const Datatype& type) {
  const bool empty = type.size == 0 && !type.bounds_set;
  if (blocks.length == 0 || blocks.count == 0 || empty || too_large_) return;
  Blocks checked = blocks;
  if (checked.count == 1) checked.stride = 0;
  too_large_ = !fits(checked.displacement) || !fits(checked.stride) || !fits(checked.length) ||
               !fits(checked.count) || !fits(Wide{checked.length} * checked.count) || !grow(checked, type);
  if (too_large_) return;
  if (checked.stride == Wide{type.extent} * checked.length) {  // blocks side by side are one
    checked.length *= checked.count;
    checked.count = 1;
  }
  include(checked, type);
  if (!too_large_ && type.size != 0) append(checked, type);
}

bool TypeBuilder::grow(const Blocks& blocks, const Datatype& type) {
  const Wide items = Wide{blocks.length} * blocks.count;
  if (type.size == 0) return true;
  if (!fits(items * type.size)) return false;
  if (size_ == 0) {
    basic_ = type.basic;
  } else if (basic_ != type.basic) {
    basic_ = Basic::kMixed;
  }
  size_ += items * type.size;
  return fits(size_);
}

void TypeBuilder::include(const Blocks& blocks, const Datatype& type) {
  const auto [lowest, highest] = reach(blocks, type);
  too_large_ = !fits(lowest) || !fits(highest);
  if (too_large_) return;
  if (type.bounds_set) set_.include(lowest + type.lb, highest + type.lb + type.extent);
  if (type.size != 0) true_.include(lowest + type.true_lb, highest + type.true_lb + type.true_extent);
  alignment_ = std::max(alignment_, type.alignment);
}

void TypeBuilder::append(const Blocks& blocks, const Datatype& type) {
  if (block_type_ != &type || block_length_ != blocks.length) {
    block_ = repeat(type.shape, blocks.length, type.extent);
    block_type_ = &type;
    block_length_ = blocks.length;
  }
  const auto shift = static_cast<std::int64_t>(blocks.displacement);
  std::size_t added = parts_.size();
  if (blocks.count == 1) {
    parts_.insert(parts_.end(), block_.begin(), block_.end());
  } else {
    const auto loop =
        repeat(std::make_shared<const Shape>(block_), blocks.count, static_cast<std::int64_t>(blocks.stride));
    parts_.insert(parts_.end(), loop.begin(), loop.end());
  }
  for (; added < parts_.size(); ++added) parts_[added].offset += shift;

  const std::uint64_t items = blocks.length * blocks.count;
  if (type.signature->stretches().size() == 1) {
    Stretch only = type.signature->stretches()[0];
    only.count *= items;
    mpi::append(stretches_, only);
  } else {
    for (const Stretch& stretch : repeat(type.signature, items)) mpi::append(stretches_, stretch);
  }
}

void TypeBuilder::set_extent(Datatype& type) const {
  const Bounds& bounds = set_.any ? set_ : true_;
  Wide extent = bounds.last - bounds.first;
  if (!set_.any) {  // as a C compiler pads a struct
    const Wide over = extent % alignment_;
    if (over != 0) extent += alignment_ - over;
  }
  type.bounds_set = set_.any;
  type.lb = static_cast<std::int64_t>(bounds.first);
  type.extent = static_cast<std::int64_t>(extent);
}

Datatype* TypeBuilder::finish() {
  if (too_large_) return nullptr;
  auto type = std::make_unique<Datatype>();
  set_extent(*type);
  type->alignment = alignment_;
  type->basic = basic_;
  type->take_shape(std::make_shared<const Shape>(std::move(parts_)), static_cast<std::int64_t>(true_.first),
                   static_cast<std::int64_t>(true_.last));
  type->signature = std::make_shared<const Signature>(stretches_);
  type->elements = type->signature->elements();
  return type.release();
}

namespace {

std::unique_ptr<Datatype> copy_with(const Datatype& type, std::int64_t lb, std::int64_t extent) {
  auto copy = std::make_unique<Datatype>();
  copy->lb = lb;
  copy->extent = extent;
  copy->alignment = type.alignment;
  copy->basic = type.basic;
  copy->bounds_set = type.bounds_set;
  copy->take_shape(type.shape, type.true_lb, type.true_lb + type.true_extent);
  copy->signature = type.signature;
  copy->elements = type.elements;
  return copy;
}

}  // namespace

Datatype* resized(const Datatype& type, std::int64_t lb, std::int64_t extent) {
  auto copy = copy_with(type, lb, extent);
  copy->bounds_set = true;
  return copy.release();
}

Datatype* duplicate(const Datatype& type) {
  auto copy = copy_with(type, type.lb, type.extent);
  copy->committed = type.committed;
  return copy.release();
}

}  // namespace hawser::mpi
