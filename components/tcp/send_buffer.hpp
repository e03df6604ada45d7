// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace hawser::tcp {

/// Copied bytes that wait for the next write of a connection. Memory is taken when first used.
class SendBuffer {
 public:
  /// `room`: most bytes that it holds.
  explicit SendBuffer(std::size_t room) noexcept : room_(room) {}

  bool empty() const noexcept { return begin_ == end_; }
  std::size_t size() const noexcept { return end_ - begin_; }
  iovec waiting() const noexcept { return {bytes_.get() + begin_, size()}; }

  /// Copies the parts behind what waits. False, and nothing happened: no room, or no memory.
  bool append(const iovec* parts, std::size_t count) noexcept {
    std::size_t total = 0;
    for (std::size_t i = 0; i < count; ++i) total += parts[i].iov_len;
    if (total > room_ - end_) return false;
    if (!bytes_) bytes_.reset(new (std::nothrow) unsigned char[room_]);
    if (!bytes_) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (parts[i].iov_len != 0) std::memcpy(bytes_.get() + end_, parts[i].iov_base, parts[i].iov_len);
      end_ += parts[i].iov_len;
    }
    return true;
  }
  /// Of `bytes` that were sent, the first are from here; gives how many are not.
  std::size_t advance(std::size_t bytes) noexcept {
    const std::size_t step = bytes < size() ? bytes : size();
    begin_ += step;
    if (empty()) clear();
    return bytes - step;
  }
  void clear() noexcept { begin_ = end_ = 0; }
  /// Drops what waits, and the memory: an endpoint lives on after its connection.
  void give_back() noexcept {
    clear();
    bytes_.reset();
  }

 private:
  const std::size_t room_;
  std::unique_ptr<unsigned char[]> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace hawser::tcp
