// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "components/tcp/module.hpp"

namespace hawser::tcp {

/// All modules that ever were; an index is never reused. Grows in one thread at a time, and may be read by
/// any other meanwhile: what is there stays where it is.
class ModuleTable {
 public:
  static constexpr std::size_t kChunk = 64;
  static constexpr std::size_t kChunks = 128;
  static constexpr std::size_t kCapacity = kChunk * kChunks;

  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  Module& operator[](std::size_t index) const noexcept { return *(*chunks_[index / kChunk])[index % kChunk]; }
  bool has_room_for(std::size_t more) const noexcept { return size() + more <= kCapacity; }

  /// There is room.
  void add(std::unique_ptr<Module> module) {
    const std::size_t at = size_.load(std::memory_order_relaxed);
    if (!chunks_[at / kChunk]) chunks_[at / kChunk] = std::make_unique<Chunk>();
    (*chunks_[at / kChunk])[at % kChunk] = std::move(module);
    size_.store(at + 1, std::memory_order_release);
  }

 private:
  using Chunk = std::array<std::unique_ptr<Module>, kChunk>;

  std::array<std::unique_ptr<Chunk>, kChunks> chunks_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace hawser::tcp
