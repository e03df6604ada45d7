# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Collectives.
hawser_mpi_program(coll_barrier coll_barrier.c)
foreach(ranks 1 2 5)
  hawser_mpi_test(coll_barrier_${ranks} coll_barrier RANKS ${ranks} ARGS 2000)
endforeach()
hawser_mpi_test(coll_barrier_8 coll_barrier RANKS 8 ARGS 10000 HEAVY)
