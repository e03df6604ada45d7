// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "mpi/datatype.hpp"
#include "mpi/op.hpp"
#include "pml/buffer.hpp"

namespace hawser::mpi::coll {

using pml::Buffer;

/// One member's place in its communicator.
struct Place {
  int rank;
  int size;
};

/// Items of one type: what reductions work on.
struct Items {
  char* base;
  std::uint64_t count;
  const Datatype* type;

  Buffer buffer() const noexcept { return type->buffer(base, count); }
  std::uint64_t bytes() const noexcept { return type->size * count; }
  Items part(std::uint64_t first, std::uint64_t length) const noexcept {
    return {base + static_cast<std::int64_t>(first) * type->extent, length, type};
  }
};

/// Makes `inout` = `in` op `inout`: `in` comes from the lower ranks.
struct Reduction {
  const void* in;
  void* inout;
  std::uint64_t count;
  const Datatype* type;
};

struct Step {
  enum class Kind : std::uint8_t {
    kSend,     // `from` to `peer`
    kReceive,  // from `peer` to `to`
    kCopy,     // `from` to `to`, of one size
    kReduce,   // `reduction`
    kFence,    // all sends and receives before it end first
  };
  Kind kind;
  int peer;
  Buffer from;
  Buffer to;
  Reduction reduction;
};

/// What one member does in one collective, in order. Sends and receives only start; a fence waits for them.
/// Copies and reductions happen at once, so a fence stands before those that need what was received, or
/// change what is sent. A schedule is data: it knows no transport. It keeps its memory for the next use.
class Schedule {
 public:
  void send(int peer, const Buffer& from) { steps_.push_back({Step::Kind::kSend, peer, from, {}, {}}); }
  void receive(int peer, const Buffer& to) { steps_.push_back({Step::Kind::kReceive, peer, {}, to, {}}); }
  void copy(const Buffer& from, const Buffer& to) {
    if (from.size != 0 && (from.base != to.base || from.layout != to.layout)) {
      steps_.push_back({Step::Kind::kCopy, 0, from, to, {}});
    }
  }
  void copy(const Items& from, const Items& to) { copy(from.buffer(), to.buffer()); }
  void reduce(const Items& in, const Items& inout) {
    if (in.count == 0) return;
    steps_.push_back({Step::Kind::kReduce, 0, {}, {}, {in.base, inout.base, in.count, in.type}});
  }
  void fence() { steps_.push_back({Step::Kind::kFence, 0, {}, {}, {}}); }
  void exchange(int to, const Buffer& out, int from, const Buffer& in) {
    receive(from, in);
    send(to, out);
    fence();
  }

  /// Room that lives as long as the schedule's steps. Never null.
  char* scratch(std::uint64_t bytes);
  /// Room for `count` items of that type.
  Items scratch(std::uint64_t count, const Datatype& type);

  const std::vector<Step>& steps() const noexcept { return steps_; }
  void clear() noexcept;

 private:
  struct Block {
    std::unique_ptr<char, decltype(&std::free)> bytes{nullptr, &std::free};
    std::uint64_t size = 0;
  };
  std::vector<Step> steps_;
  std::vector<Block> blocks_;
  std::size_t blocks_used_ = 0;
};

/// Does a copy or a reduction.
void do_local(const Step& step, const Op* op) noexcept;
/// As many bytes as both have; either may have a layout.
void copy(const Buffer& from, const Buffer& to) noexcept;

}  // namespace hawser::mpi::coll
