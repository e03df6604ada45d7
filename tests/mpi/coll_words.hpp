// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tests/mpi/check.hpp"

// What the programs for collectives share: words whose values tell where they come from, in memory with
// holes.

namespace mpi_tests {

using Word = std::uint64_t;

/// The word that `rank` has at place `i` of what it gives; `turn` tells calls apart.
inline Word value_of(int turn, int rank, std::size_t i) {
  return word_of(static_cast<Word>(turn) * 1000 + static_cast<Word>(rank) + 17, i) | 1;
}

/// A datatype, and where the words of its items lie.
struct Kind {
  MPI_Datatype type;
  int words;   // of an item
  int extent;  // in words
  int first;   // the place of its first word; the others come two further each

  std::size_t at(std::size_t i) const {
    const auto n = static_cast<std::size_t>(words);
    return i / n * static_cast<std::size_t>(extent) + static_cast<std::size_t>(first) + i % n * 2;
  }
};

inline Kind plain_words() {
  return {MPI_UINT64_T, 1, 1, 0};
}
/// Two words an item, 40 bytes from item to item, lower bound -8, holes everywhere. To be freed.
inline Kind words_with_holes() {
  const MPI_Aint places[] = {8, 24};
  MPI_Datatype two, all;
  MPI_Type_create_hindexed_block(2, 1, places, MPI_UINT64_T, &two);
  MPI_Type_create_resized(two, -8, 40, &all);
  MPI_Type_free(&two);
  MPI_Type_commit(&all);
  return {all, 2, 5, 1};
}

/// Room for items of a kind. What is no word of theirs must not change.
class Area {
 public:
  Area(const Kind& kind, std::size_t items)
      : kind_(kind), items_(items), memory_(items * static_cast<std::size_t>(kind.extent) + 1, kGuard) {}
  void* base() { return memory_.data(); }
  Word& operator[](std::size_t word) { return memory_[kind_.at(word)]; }
  std::size_t words() const { return items_ * static_cast<std::size_t>(kind_.words); }
  /// The whole area holds, or is made, what `rank` gives.
  void set(int turn, int rank) {
    for (std::size_t i = 0; i < words(); ++i) (*this)[i] = value_of(turn, rank, i);
  }
  void check_holes() {
    std::vector<bool> is_word(memory_.size(), false);
    for (std::size_t i = 0; i < words(); ++i) is_word[kind_.at(i)] = true;
    for (std::size_t k = 0; k < memory_.size(); ++k) CHECK(is_word[k] || memory_[k] == kGuard);
  }
  static constexpr Word kGuard = 0xdeadbeefdeadbeef;

 private:
  Kind kind_;
  std::size_t items_;
  std::vector<Word> memory_;
};

/// x -> a x + b, one after the other: associative, not commutative.
inline Word after(Word first, Word then) {
  const auto a = static_cast<std::uint32_t>(then >> 32) * static_cast<std::uint32_t>(first >> 32);
  const auto b = static_cast<std::uint32_t>(then >> 32) * static_cast<std::uint32_t>(first) +
                 static_cast<std::uint32_t>(then);
  return static_cast<Word>(a) << 32 | b;
}
inline void chain_plain(void* in, void* inout, int* count, MPI_Datatype*) {
  const Kind kind = plain_words();
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    auto& to = static_cast<Word*>(inout)[kind.at(i)];
    to = after(static_cast<Word*>(in)[kind.at(i)], to);
  }
}
inline void chain_holes(void* in, void* inout, int* count, MPI_Datatype*) {
  const Kind kind{MPI_DATATYPE_NULL, 2, 5, 1};
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count) * 2; ++i) {
    auto& to = static_cast<Word*>(inout)[kind.at(i)];
    to = after(static_cast<Word*>(in)[kind.at(i)], to);
  }
}

/// Blocking and non-blocking calls alike: a call fills a request, or leaves it null.
struct Waiting {
  MPI_Request request = MPI_REQUEST_NULL;
  ~Waiting() { CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS); }
};

}  // namespace mpi_tests

/// MPI_Name(arguments), or MPI_Iname(arguments, request) and a wait.
#define CALL(blocking, Name, iname, ...)                              \
  do {                                                                \
    if (blocking) {                                                   \
      CHECK_EQ(MPI_##Name(__VA_ARGS__), MPI_SUCCESS);                 \
    } else {                                                          \
      ::mpi_tests::Waiting call;                                      \
      CHECK_EQ(MPI_##iname(__VA_ARGS__, &call.request), MPI_SUCCESS); \
    }                                                                 \
  } while (0)
