// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The basic elements of a datatype's item in order, as far as counting them needs: their sizes.

#include <cstdint>
#include <memory>
#include <vector>

namespace hawser::mpi {

class Signature;

/// `count` repetitions of `bytes` packed bytes that are `elements` basic elements. No `inner`: one element
/// each.
struct Stretch {
  std::uint64_t bytes = 0;
  std::uint64_t elements = 1;
  std::uint64_t count = 1;
  std::shared_ptr<const Signature> inner;
};

/// Immutable, shared between types. Alike neighbours are one stretch.
class Signature {
 public:
  /// Whole elements in a number of bytes, and the bytes of them.
  struct Prefix {
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0;
  };

  Signature() = default;
  explicit Signature(const std::vector<Stretch>& stretches);

  const std::vector<Stretch>& stretches() const noexcept { return stretches_; }
  std::uint64_t bytes() const noexcept { return total_.bytes; }
  std::uint64_t elements() const noexcept { return total_.elements; }

  /// What the first `bytes` bytes, or the first `elements` elements, of one item hold; all of it if there is
  /// less.
  Prefix of_bytes(std::uint64_t bytes) const noexcept;
  Prefix of_elements(std::uint64_t elements) const noexcept;

 private:
  std::vector<Stretch> stretches_;
  Prefix total_;
};

/// Adds to the end; alike neighbours are one stretch.
void append(std::vector<Stretch>& stretches, const Stretch& next);

/// `count` copies of `signature`.
std::vector<Stretch> repeat(const std::shared_ptr<const Signature>& signature, std::uint64_t count);

}  // namespace hawser::mpi
