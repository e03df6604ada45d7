// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/copy.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>

#include "bml/spares.hpp"

namespace hawser::bml {

namespace {

using CopyPool = Spares<Copy>;

bool make_room(Copy& copy, std::size_t size) noexcept {
  if (copy.room >= size) return true;
  std::free(copy.bytes);
  copy.room = std::bit_ceil(size);
  copy.bytes = static_cast<char*>(std::malloc(copy.room));
  if (!copy.bytes) copy.room = 0;
  return copy.bytes != nullptr;
}

}  // namespace

Copy* Copy::take(btl::Head head, const iovec* parts, std::size_t count, std::size_t size) noexcept {
  Copy* copy = CopyPool::instance().take();
  if (!copy) return nullptr;
  if (!make_room(*copy, size)) {
    CopyPool::instance().give(*copy);
    return nullptr;
  }
  char* out = copy->bytes;
  for (std::size_t i = 0; i < count; ++i) {
    if (parts[i].iov_len != 0) std::memcpy(out, parts[i].iov_base, parts[i].iov_len);
    out += parts[i].iov_len;
  }
  Kept& kept = copy->kept;
  copy->data = {copy->bytes, size};
  kept.descriptor.data = &copy->data;
  kept.descriptor.data_count = size == 0 ? 0 : 1;
  kept.descriptor.data_size = size;
  kept.owner = copy;
  kept.copied = true;
  kept.on_end = [](Kept& ended, Errc) noexcept { give_back(ended); };
  fill_header(kept, GuardKind::kMessage, head.tag, head.bytes, head.size, false);
  return copy;
}

void Copy::give_back(Kept& kept) noexcept {
  if (kept.copied) CopyPool::instance().give(*static_cast<Copy*>(kept.owner));
}

}  // namespace hawser::bml
