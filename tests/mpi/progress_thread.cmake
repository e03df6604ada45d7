# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The progress thread: what it is for, and programs that know nothing of it with it.
hawser_mpi_program(mpi_progress_thread ${CMAKE_CURRENT_LIST_DIR}/progress_thread.cpp)
foreach(level single multiple)
  hawser_mpi_test(progress_thread_${level} mpi_progress_thread RANKS 4 MCA hawser_progress_thread 1 ARGS on ${level})
endforeach()
hawser_mpi_test(progress_thread_off mpi_progress_thread RANKS 2 ARGS off)
hawser_mpi_test(threads_with_thread mpi_threads RANKS 2 BTL self,shm self,tcp MCA hawser_progress_thread 1 TIMEOUT 240)
hawser_mpi_test(p2p_modes_with_thread mpi_p2p_modes RANKS 2 BTL self,shm self,tcp MCA hawser_progress_thread 1)
hawser_mpi_test(p2p_truncate_with_thread mpi_p2p_truncate RANKS 2 BTL self,shm self,tcp MCA hawser_progress_thread 1)
hawser_mpi_test(coll_in_flight_with_thread coll_in_flight RANKS 4 MCA hawser_progress_thread 1)
hawser_mpi_test(errors_with_thread mpi_errors RANKS 2 BTL self,shm self,tcp MCA hawser_progress_thread 1)
