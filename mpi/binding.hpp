// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "mpi/include/mpi.h"

/// After the definition of PMPI_Name: makes MPI_Name a weak alias of it, so that profilers can take its
/// place.
#define HAWSER_MPI_ALIAS(Name) \
  extern "C" __attribute__((weak, alias("PMPI_" #Name))) decltype(PMPI_##Name) MPI_##Name;

namespace hawser::mpi {

/// What the caller's integer cannot hold is MPI_UNDEFINED.
template <class Integer>
Integer narrowed(std::uint64_t value) noexcept {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
  return value <= kMost ? static_cast<Integer>(value) : Integer{MPI_UNDEFINED};
}

}  // namespace hawser::mpi
