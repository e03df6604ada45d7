// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "framework/btl/message.hpp"

namespace hawser::shm {

/// The message that a sender is just giving us in pieces: copied to where the handler of its tag wants it,
/// else put together here. The progress role's own.
class Assembly {
 public:
  bool whole() const noexcept { return received_ == head_.size && memory_; }
  std::size_t size() const noexcept { return head_.size; }

  /// `head`: the message without its data, but with its size. False: out of memory.
  bool begin(const btl::Message& head, const btl::HandlerTable& handlers) noexcept;
  /// The next piece. False: there are more bytes than was said, or none was begun.
  bool add(const void* data, std::size_t size) noexcept;
  /// Hands the whole message up.
  void deliver(const btl::HandlerTable& handlers) noexcept;
  /// No more pieces come, or those that do count no more.
  void drop(const btl::HandlerTable& handlers) noexcept;

 private:
  struct Free {
    void operator()(unsigned char* memory) const noexcept { std::free(memory); }
  };
  btl::Message take() noexcept;

  btl::Message head_{};
  alignas(8) unsigned char header_[btl::kMaxHeader];
  unsigned char* memory_ = nullptr;
  std::unique_ptr<unsigned char, Free> own_;  // where nobody said a place
  std::size_t received_ = 0;
};

}  // namespace hawser::shm
