# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Point to point, threads, communicators, errors.
foreach(program p2p_order p2p_sizes p2p_truncate p2p_probe p2p_modes completion threads first_contact comms errors huge
    actor)
  hawser_mpi_program(mpi_${program} ${CMAKE_CURRENT_LIST_DIR}/${program}.cpp)
endforeach()

hawser_mpi_test(p2p_order mpi_p2p_order RANKS 3)
hawser_mpi_test(p2p_sizes mpi_p2p_sizes RANKS 2)
hawser_mpi_test(p2p_sizes_copied mpi_p2p_sizes RANKS 2 BTL self,shm MCA btl_shm_single_copy none ARGS 5000000)
hawser_mpi_test(p2p_sizes_single mpi_p2p_sizes RANKS 2 BTL self,shm MCA btl_shm_single_copy cma ARGS 5000000)
hawser_mpi_test(p2p_sizes_links mpi_p2p_sizes RANKS 2 BTL self,tcp MCA btl_tcp_links 4 ARGS 5000000)
hawser_mpi_test(p2p_sizes_small_limits mpi_p2p_sizes RANKS 2 BTL self,tcp
  MCA btl_tcp_eager_limit 1k btl_tcp_rndv_eager_limit 1k btl_tcp_max_send_size 8k ARGS 5000000)
hawser_mpi_test(p2p_truncate mpi_p2p_truncate RANKS 2)
hawser_mpi_test(p2p_truncate_links mpi_p2p_truncate RANKS 2 BTL self,tcp MCA btl_tcp_links 4)
hawser_mpi_test(p2p_probe mpi_p2p_probe RANKS 2)
hawser_mpi_test(p2p_modes mpi_p2p_modes RANKS 2)
hawser_mpi_test(completion mpi_completion RANKS 2)
hawser_mpi_test(threads mpi_threads RANKS 2 TIMEOUT 240)
hawser_mpi_test(first_contact mpi_first_contact RANKS 4)
hawser_mpi_test(comms mpi_comms RANKS 5 TIMEOUT 60)
hawser_mpi_test(errors mpi_errors RANKS 2)
hawser_mpi_test(huge mpi_huge RANKS 2 BTL self,shm self,tcp HEAVY TIMEOUT 300)
