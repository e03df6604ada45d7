// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/coll/algorithms.hpp"
#include "mpi/include/mpi.h"
#include "mpi/type_shape.hpp"

namespace hawser::mpi::coll {

using Word = std::uint64_t;

/// One word an item; or with holes: 24 bytes from item to item, of which the second word counts.
inline const Datatype& dense_type() {
  return *object_of(MPI_UINT64_T);
}
inline const Datatype& type_with_holes() {
  static const Datatype* type = [] {
    auto* made = new Datatype;
    made->lb = -8;
    made->extent = 24;
    Part word;
    word.offset = 8;
    word.size = 8;
    made->take_shape(std::make_shared<Shape>(std::vector<Part>{word}), 8, 16);
    made->committed = true;
    return made;
  }();
  return *type;
}

/// A function x -> a x + b, in one word.
inline Word after(Word first, Word then) {
  const auto a = static_cast<std::uint32_t>(then >> 32) * static_cast<std::uint32_t>(first >> 32);
  const auto b = static_cast<std::uint32_t>(then >> 32) * static_cast<std::uint32_t>(first) +
                 static_cast<std::uint32_t>(then);
  return static_cast<Word>(a) << 32 | b;
}

/// Puts such functions one after the other: associative, not commutative.
inline void chain(void* in, void* inout, int* count, MPI_Datatype* type) {
  const bool dense = *type == MPI_UINT64_T;
  for (int i = 0; i < *count; ++i) {
    const int at = dense ? i : 3 * i + 1;
    static_cast<Word*>(inout)[at] = after(static_cast<Word*>(in)[at], static_cast<Word*>(inout)[at]);
  }
}

inline const Op& chain_op() {
  static const Op* op = [] {
    auto* made = new Op;
    made->commutative = false;
    made->user_function = reinterpret_cast<void*>(&chain);
    return made;
  }();
  return *op;
}

/// Items in memory of their own, with guards between and around.
class Memory {
 public:
  Memory(std::uint64_t count, const Datatype& type)
      : type_(type), step_(&type == &dense_type() ? 1 : 3), words_(kMargin * 2 + count * step_, kGuard) {}

  Word& operator[](std::uint64_t i) { return words_[kMargin + i * step_ + (step_ == 1 ? 0 : 1)]; }
  char* base() { return reinterpret_cast<char*>(words_.data() + kMargin); }
  Items items(std::uint64_t count) { return {base(), count, &type_}; }
  /// The words that hold no item, and the items that were never set, are as they were.
  bool only_changed(const std::vector<bool>& may_change) const {
    for (std::uint64_t i = 0; i < words_.size(); ++i) {
      if (words_[i] != kGuard && !changeable(i, may_change)) return false;
    }
    return true;
  }
  static constexpr Word kGuard = 0xdeadbeefdeadbeef;

 private:
  static constexpr std::uint64_t kMargin = 4;
  bool changeable(std::uint64_t word, const std::vector<bool>& may_change) const {
    if (word < kMargin || (word - kMargin) % step_ != (step_ == 1 ? 0 : 1)) return false;
    const std::uint64_t item = (word - kMargin) / step_;
    return item < may_change.size() && may_change[item];
  }

  const Datatype& type_;
  std::uint64_t step_;
  std::vector<Word> words_;
};

}  // namespace hawser::mpi::coll
