// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What this library keeps in the private words of MPI_Status: [0..1] the received bytes as one 64-bit number,
// [2] whether the operation was cancelled.

#include <cstdint>
#include <cstring>

#include "mpi/include/mpi.h"

namespace hawser::mpi {

/// Packed bytes of the message that the status speaks of.
inline std::uint64_t status_bytes(const MPI_Status& status) noexcept {
  std::uint64_t bytes;
  std::memcpy(&bytes, status.MPI_internal, sizeof bytes);
  return bytes;
}
inline void set_status_bytes(MPI_Status& status, std::uint64_t bytes) noexcept {
  std::memcpy(status.MPI_internal, &bytes, sizeof bytes);
}

inline bool status_cancelled(const MPI_Status& status) noexcept {
  return status.MPI_internal[2] != 0;
}
inline void set_status_cancelled(MPI_Status& status, bool cancelled) noexcept {
  status.MPI_internal[2] = cancelled ? 1 : 0;
}

}  // namespace hawser::mpi
