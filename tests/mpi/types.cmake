# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Datatypes and operations.
hawser_mpi_program(mpi_types_api types_api.cpp)
hawser_mpi_program(mpi_types_transfer types_transfer.cpp)
hawser_mpi_test(types_api mpi_types_api RANKS 1 BTL default)
hawser_mpi_test(types_transfer mpi_types_transfer RANKS 2)
hawser_mpi_test(types_transfer_copied mpi_types_transfer RANKS 2 BTL self,shm MCA btl_shm_single_copy none)
hawser_mpi_test(types_transfer_small_limits mpi_types_transfer RANKS 2 BTL self,tcp
  MCA btl_tcp_eager_limit 1k btl_tcp_rndv_eager_limit 1k btl_tcp_max_send_size 8k)
