// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "framework/base/errc.hpp"

namespace hawser::btl {

using Tag = std::uint8_t;

inline constexpr std::size_t kMaxHeader = 88;  // bytes of an active message's header

/// Bytes on their way. Owned by the poster; lent to the component from a post that answered kPending until
/// `on_complete`. The component may use `next` and `scratch` while it holds the descriptor, and allocates
/// nothing.
struct Descriptor {
  Descriptor* next = nullptr;  // link for whoever holds it
  /// Called exactly once if, and only if, the post answered kPending; with no lock held; the descriptor may
  /// be freed or posted again inside.
  void (*on_complete)(Descriptor& self, Errc status) noexcept = nullptr;
  void* owner = nullptr;        // the poster's own
  const iovec* data = nullptr;  // the message after its header; the array and the bytes stay until completion
  std::uint32_t data_count = 0;                 // entries of `data`
  Tag tag = 0;                                  // whose handler gets it
  std::uint8_t header_size = 0;                 // bytes of `header`
  bool may_wait = false;                        // as in Head
  std::uint8_t reserved = 0;                    // zero
  std::uint64_t data_size = 0;                  // sum of `data`, bytes
  std::uint64_t scratch[4] = {};                // the component's
  alignas(8) unsigned char header[kMaxHeader];  // of the message
};

}  // namespace hawser::btl
