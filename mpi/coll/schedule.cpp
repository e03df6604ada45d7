// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/schedule.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace hawser::mpi::coll {

namespace {

constexpr std::uint64_t kSmallestBlock = 256;
constexpr std::uint64_t kLargestKept = 1 << 20;  // a block beyond it goes back to the system
constexpr std::size_t kCopyChunk = 4096;

}  // namespace

char* Schedule::scratch(std::uint64_t bytes) {
  if (blocks_used_ == blocks_.size()) blocks_.emplace_back();
  Block& block = blocks_[blocks_used_];
  if (block.size < bytes || !block.bytes) {
    const std::uint64_t size = std::max(bytes, kSmallestBlock);
    block.size = 0;
    block.bytes.reset();  // before the new one is asked for
    block.bytes.reset(static_cast<char*>(std::malloc(size)));
    if (!block.bytes) throw std::bad_alloc();
    block.size = size;
  }
  ++blocks_used_;
  return block.bytes.get();
}

Items Schedule::scratch(std::uint64_t count, const Datatype& type) {
  if (count == 0) return {scratch(0), 0, &type};
  const std::int64_t reach = type.extent * static_cast<std::int64_t>(count - 1);
  const std::int64_t before = type.true_lb + std::min<std::int64_t>(0, reach);
  const std::int64_t bytes = type.true_extent + std::max(reach, -reach);
  return {scratch(static_cast<std::uint64_t>(bytes)) - before, count, &type};
}

void Schedule::clear() noexcept {
  steps_.clear();
  for (std::size_t i = 0; i < blocks_used_; ++i) {
    if (blocks_[i].size > kLargestKept) blocks_[i] = Block{};
  }
  blocks_used_ = 0;
}

void copy(const Buffer& from, const Buffer& to) noexcept {
  const std::uint64_t size = std::min(from.size, to.size);
  if (size == 0) return;
  if (!from.layout && !to.layout) {
    std::memmove(to.base, from.base, size);
  } else if (!to.layout) {
    from.layout->pack(to.base, from.base, 0, size);
  } else if (!from.layout) {
    to.layout->unpack(to.base, from.base, 0, size);
  } else {
    char chunk[kCopyChunk];
    for (std::uint64_t at = 0; at < size;) {
      const std::size_t length = std::min<std::uint64_t>(size - at, sizeof chunk);
      from.layout->pack(chunk, from.base, at, length);
      to.layout->unpack(to.base, chunk, at, length);
      at += length;
    }
  }
}

void do_local(const Step& step, const Op* op) noexcept {
  if (step.kind == Step::Kind::kCopy) return copy(step.from, step.to);
  const Reduction& it = step.reduction;
  op->apply(it.in, it.inout, it.count, *it.type);
}

}  // namespace hawser::mpi::coll
