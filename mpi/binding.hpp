// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/include/mpi.h"

/// After the definition of PMPI_Name: makes MPI_Name a weak alias of it, so that profilers can take its
/// place.
#define HAWSER_MPI_ALIAS(Name) \
  extern "C" __attribute__((weak, alias("PMPI_" #Name))) decltype(PMPI_##Name) MPI_##Name;
