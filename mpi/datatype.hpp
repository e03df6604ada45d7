// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mpi/attribute.hpp"
#include "mpi/objects.hpp"
#include "mpi/type_shape.hpp"
#include "mpi/type_signature.hpp"
#include "pml/buffer.hpp"

namespace hawser::mpi {

/// What the elements of a datatype are, for reductions. kMixed: not all the same, or only to be moved.
enum class Basic : std::uint8_t {
  kMixed,
  kByte,
  kChar,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kInt128,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kLongDouble,
  kQuad,
  kBool,
  kLogical8,
  kLogical16,
  kLogical32,
  kLogical64,
  kLogical128,
  kWchar,
  kFloatComplex,
  kDoubleComplex,
  kLongDoubleComplex,
  kQuadComplex,
  // Pairs of MINLOC and MAXLOC.
  kFloatInt,
  kDoubleInt,
  kLongInt,
  kTwoInt,
  kShortInt,
  kLongDoubleInt,
  kTwoFloat,
  kTwoDouble,
  kCount
};

class TypeContents;

/// A datatype: immutable once committed; predefined ones live for ever.
class Datatype final : public RefCounted, public pml::Layout {
 public:
  std::uint64_t size = 0;  // packed bytes of one item
  std::int64_t lb = 0;
  std::int64_t extent = 0;
  std::int64_t true_lb = 0;
  std::int64_t true_extent = 0;
  std::uint64_t elements = 0;   // basic elements of one item (MPI_Get_elements)
  std::uint32_t alignment = 1;  // the largest of its elements
  Basic basic = Basic::kMixed;
  bool dense = true;  // many items are one run: a single run at 0, extent equals size; or no bytes at all
  bool bounds_set =
      false;  // lb and extent were given by the user (resized), and are kept by types made of it
  bool predefined = false;
  bool committed = false;
  std::shared_ptr<const Shape> shape;
  std::shared_ptr<const Signature> signature;
  std::shared_ptr<const TypeContents> contents;  // null: predefined
  Attributes attributes;                         // guarded by their lock
  std::string name;

  /// `count` items at `base` as the PML wants them.
  pml::Buffer buffer(const void* base, std::uint64_t count) const noexcept {
    return {const_cast<void*>(base), size * count, dense ? nullptr : this};
  }
  /// Bytes from the first to after the last byte that `count` items may touch.
  std::int64_t span(std::uint64_t count) const noexcept {
    if (count == 0) return 0;
    const std::int64_t between = extent < 0 ? -extent : extent;
    return true_extent + between * static_cast<std::int64_t>(count - 1);
  }
  /// Sets shape and what follows from it: size, true bounds, dense (from extent too: set that before).
  void take_shape(std::shared_ptr<const Shape> new_shape, std::int64_t first, std::int64_t last);

  void pack(void* out, const void* base, std::uint64_t offset, std::size_t bytes) const noexcept override;
  void unpack(void* base, const void* in, std::uint64_t offset, std::size_t bytes) const noexcept override;
  void retain() const noexcept override { RefCounted::retain(); }
  void release() const noexcept override;

 private:
  Part items_;  // an endless row of items; its count is not looked at
};

}  // namespace hawser::mpi
