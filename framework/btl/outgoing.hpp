// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "framework/btl/module.hpp"

namespace hawser::btl {

/// Copies the pieces one behind the other to `to`, which has room for all. The first byte after them.
inline unsigned char* gather(const iovec* pieces, std::size_t count, unsigned char* to) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (pieces[i].iov_len != 0) std::memcpy(to, pieces[i].iov_base, pieces[i].iov_len);
    to += pieces[i].iov_len;
  }
  return to;
}

/// A message to be sent, whether it came with Module::sendi or Module::send: one code for both. Valid during
/// the post only.
class Outgoing {
 public:
  /// Of Module::sendi.
  Outgoing(Head its_head, const void* bytes, std::size_t its_size) noexcept
      : head(its_head),
        size(its_size),
        descriptor(nullptr),
        pieces(&one_),
        piece_count(1),
        one_{const_cast<void*>(bytes), its_size} {}
  /// Of Module::send.
  explicit Outgoing(Descriptor& its_descriptor) noexcept
      : head{its_descriptor.header, its_descriptor.header_size, its_descriptor.tag, its_descriptor.may_wait},
        size(its_descriptor.data_size),
        descriptor(&its_descriptor),
        pieces(its_descriptor.data),
        piece_count(its_descriptor.data_count),
        one_{} {}
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;

  /// Copies the header, and the data behind it, to `to`: head.size + size bytes.
  void copy_to(unsigned char* to) const noexcept {
    if (head.size != 0) std::memcpy(to, head.bytes, head.size);
    gather(pieces, piece_count, to + head.size);
  }

  const Head head;                // its bytes stay for the time of the post
  const std::size_t size;         // of the data, bytes
  Descriptor* const descriptor;   // null: an immediate one, which may not wait
  const iovec* const pieces;      // the data
  const std::size_t piece_count;  // of them

 private:
  const iovec one_;
};

}  // namespace hawser::btl
