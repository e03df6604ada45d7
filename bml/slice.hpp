// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bml/guard.hpp"
#include "bml/spares.hpp"
#include "bml/transfer.hpp"

namespace hawser::bml {

/// A part of a large message that one rail holds. Pooled; keeps its bounce buffer.
struct Slice {
  Slice* next = nullptr;
  Transfer* transfer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t rail = 0;  // Rail::id
  Errc status = Errc::kOk;
  bool packed = false;     // `bounce` holds this slice's bytes
  char* bounce = nullptr;  // for bytes that are not contiguous
  std::uint64_t room = 0;  // of `bounce`
  iovec data{};
  Kept kept;  // its descriptor carries the slice, also to a peer that is not guarded

  /// Fills the descriptor. False: out of memory.
  bool prepare(const Transfer& transfer, bool guarded) noexcept;
};

using SlicePool = Spares<Slice>;

}  // namespace hawser::bml
