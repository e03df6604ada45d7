// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the bytes of a datatype's item lie: a tree of loops over contiguous blocks. Regular types are small
// however many blocks they have, and any byte of the packed stream is found in O(depth * log parts).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hawser::mpi {

class Shape;

/// `count` repetitions, `stride` bytes apart, of `size` packed bytes: contiguous ones, or laid out as `inner`
/// says.
struct Part {
  std::int64_t offset = 0;  // of the first repetition, from the item's address
  std::uint64_t size = 0;
  std::uint64_t count = 1;
  std::int64_t stride = 0;
  std::uint64_t start = 0;  // packed bytes of the shape before this part
  std::shared_ptr<const Shape> inner;

  std::uint64_t total() const noexcept { return size * count; }
  bool plain() const noexcept { return !inner && count == 1; }
};

/// Parts in the order of the type map. Immutable, shared between types.
class Shape {
 public:
  Shape() = default;
  /// Joins neighbours, makes loops of equally spaced equal parts, drops what is empty.
  explicit Shape(std::vector<Part> parts);

  const std::vector<Part>& parts() const noexcept { return parts_; }
  std::uint64_t size() const noexcept { return size_; }
  /// Index of the part that has byte `offset` of the packed stream; offset < size().
  std::size_t find(std::uint64_t offset) const noexcept;

 private:
  std::vector<Part> parts_;
  std::uint64_t size_ = 0;
};

/// `count` copies of `shape`, `stride` bytes apart, as few parts as it takes.
std::vector<Part> repeat(const std::shared_ptr<const Shape>& shape, std::uint64_t count, std::int64_t stride);

// Packed bytes [from, from + bytes) of a part at address `base`, to or from `stream`.
void pack_part(const Part& part, std::uintptr_t base, std::uint64_t from, std::uint64_t bytes,
               std::byte* stream) noexcept;
void unpack_part(const Part& part, std::uintptr_t base, std::uint64_t from, std::uint64_t bytes,
                 const std::byte* stream) noexcept;

}  // namespace hawser::mpi
