// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace hawser::pml {

/// How items lie in memory, as a datatype knows it. Offsets count bytes of the packed stream of one or more
/// items; any byte range may be asked for, also from the middle of an element, and from any thread.
class Layout {
 public:
  /// Packed bytes [offset, offset + size) of the items at `base`, written to `out`.
  virtual void pack(void* out, const void* base, std::uint64_t offset, std::size_t size) const noexcept = 0;
  virtual void unpack(void* base, const void* in, std::uint64_t offset, std::size_t size) const noexcept = 0;
  /// A transfer under way keeps its layout alive.
  virtual void retain() const noexcept = 0;
  virtual void release() const noexcept = 0;

 protected:
  ~Layout() = default;
};

/// A user's message: `size` packed bytes. Without a layout they are contiguous at `base`.
struct Buffer {
  void* base = nullptr;
  std::uint64_t size = 0;
  const Layout* layout = nullptr;
};

}  // namespace hawser::pml
