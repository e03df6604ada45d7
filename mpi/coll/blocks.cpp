// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/algorithms.hpp"

namespace hawser::mpi::coll {

Items Blocks::items(int i) const noexcept {
  const auto n = static_cast<std::size_t>(i);
  if (!counts) return {base + static_cast<std::int64_t>(count) * i * type->extent, count, type};
  const auto length = static_cast<std::uint64_t>(counts[n]);
  if (types) return {base + displs[n], length, object_of(types[n])};
  return {base + displs[n] * type->extent, length, type};
}

}  // namespace hawser::mpi::coll
