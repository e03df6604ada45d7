// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/datatype.hpp"

#include <utility>

namespace hawser::mpi {

void Datatype::take_shape(std::shared_ptr<const Shape> new_shape, std::int64_t first, std::int64_t last) {
  shape = std::move(new_shape);
  size = shape->size();
  true_lb = size == 0 ? 0 : first;
  true_extent = size == 0 ? 0 : last - first;
  const auto& parts = shape->parts();
  dense = size == 0 || (parts.size() == 1 && parts[0].plain() && parts[0].offset == 0 &&
                        extent == static_cast<std::int64_t>(size));
  // Two items in a row show what any number of them is: a loop over the one part, or over the whole shape.
  items_ = Part{0, size, 1, extent, 0, shape};
  if (parts.size() != 1) return;
  const Part& only = parts[0];
  if (only.count == 1) {
    items_ = Part{only.offset, only.size, 1, extent, 0, only.inner};
  } else if (extent == only.stride * static_cast<std::int64_t>(only.count)) {
    items_ = Part{only.offset, only.size, 1, only.stride, 0, only.inner};
  }
}

void Datatype::pack(void* out, const void* base, std::uint64_t offset, std::size_t bytes) const noexcept {
  if (bytes == 0) return;
  pack_part(items_, reinterpret_cast<std::uintptr_t>(base), offset, bytes, static_cast<std::byte*>(out));
}

void Datatype::unpack(void* base, const void* in, std::uint64_t offset, std::size_t bytes) const noexcept {
  if (bytes == 0) return;
  unpack_part(items_, reinterpret_cast<std::uintptr_t>(base), offset, bytes,
              static_cast<const std::byte*>(in));
}

void Datatype::release() const noexcept {
  if (drop()) delete this;
}

}  // namespace hawser::mpi
