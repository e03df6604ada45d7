// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/objects.hpp"
#include "pml/buffer.hpp"

namespace hawser::mpi {

/// What the elements of a datatype are, for reductions. kMixed: not all the same.
enum class Basic : std::uint8_t {
  kMixed, kByte, kChar, kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64, kFloat, kDouble, kLongDouble,
  kBool, kWchar, kFloatComplex, kDoubleComplex, kLongDoubleComplex,
  kFloatInt, kDoubleInt, kLongInt, kTwoInt, kShortInt, kLongDoubleInt,  // pairs of MINLOC and MAXLOC
};

/// A datatype: immutable once committed; predefined ones live for ever.
class Datatype final : public RefCounted, public pml::Layout {
 public:
  /// One run of contiguous bytes of an item, relative to the item's address; in the order of the type map.
  struct Run {
    std::int64_t offset;
    std::uint64_t size;
  };

  std::uint64_t size = 0;       // packed bytes of one item
  std::int64_t lb = 0;
  std::int64_t extent = 0;
  std::int64_t true_lb = 0;
  std::int64_t true_extent = 0;
  std::uint64_t elements = 0;   // basic elements of one item (MPI_Get_elements)
  Basic basic = Basic::kMixed;
  bool dense = false;           // many items are one run: single run at 0, extent equals size
  bool predefined = false;
  bool committed = false;
  std::vector<Run> runs;        // neighbours merged
  std::vector<std::uint32_t> element_sizes;  // of one item in order, for MPI_Get_elements of mixed types
  std::string name;

  /// `count` items at `base` as the PML wants them.
  pml::Buffer buffer(const void* base, std::uint64_t count) const noexcept {
    return {const_cast<void*>(base), size * count, dense ? nullptr : this};
  }
  /// Bytes from the first to after the last byte that `count` items may touch.
  std::int64_t span(std::uint64_t count) const noexcept {
    return count == 0 ? 0 : true_extent + extent * static_cast<std::int64_t>(count - 1);
  }

  void pack(void* out, const void* base, std::uint64_t offset, std::size_t bytes) const noexcept override;
  void unpack(void* base, const void* in, std::uint64_t offset, std::size_t bytes) const noexcept override;
  void retain() const noexcept override { RefCounted::retain(); }
  void release() const noexcept override;
};

}  // namespace hawser::mpi
