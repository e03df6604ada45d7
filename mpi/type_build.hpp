// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/datatype.hpp"

namespace hawser::mpi {

/// Holds the product of any two 64-bit numbers.
__extension__ using Wide = __int128;

/// `count` blocks, `stride` bytes apart, of `length` items each.
struct Blocks {
  Wide displacement = 0;  // bytes
  std::uint64_t length = 1;
  std::uint64_t count = 1;
  Wide stride = 0;
};

/// Makes a datatype of blocks of others, in the order they are added. The others are not referred to
/// afterwards.
class TypeBuilder {
 public:
  void add(const Blocks& blocks, const Datatype& type);
  /// A new datatype, not committed, one reference; null: it would not fit into 62 bits.
  Datatype* finish();

 private:
  struct Bounds {
    Wide first = 0;
    Wide last = 0;
    bool any = false;
    void include(Wide from, Wide to) noexcept;
  };

  bool grow(const Blocks& blocks, const Datatype& type);
  void include(const Blocks& blocks, const Datatype& type);
  void append(const Blocks& blocks, const Datatype& type);
  void set_extent(Datatype& type) const;

  std::vector<Part> parts_;
  std::vector<Stretch> stretches_;
  std::vector<Part> block_;  // parts of one block of `block_length_` items of `block_type_`
  const Datatype* block_type_ = nullptr;
  std::uint64_t block_length_ = 0;
  Wide size_ = 0;
  Bounds set_;   // of items whose bounds were set; these rule if there are any
  Bounds true_;  // of the bytes
  std::uint32_t alignment_ = 1;
  Basic basic_ = Basic::kMixed;
  bool too_large_ = false;
};

/// The same type with other bounds. New, not committed, one reference.
Datatype* resized(const Datatype& type, std::int64_t lb, std::int64_t extent);
/// The same type, committed if the other is. New, one reference.
Datatype* duplicate(const Datatype& type);

}  // namespace hawser::mpi
