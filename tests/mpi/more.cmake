# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Persistent and buffered sends, topologies.
foreach(program persistent buffered topology neighbor)
  hawser_mpi_program(mpi_${program} ${CMAKE_CURRENT_LIST_DIR}/${program}.cpp)
  foreach(ranks 1 2 3 5)
    hawser_mpi_test(${program}_${ranks} mpi_${program} RANKS ${ranks} TIMEOUT 60 BTL self,shm self,tcp)
  endforeach()
  if(NOT program STREQUAL "topology")
    hawser_mpi_test(${program}_threads mpi_${program} RANKS 3 TIMEOUT 60 BTL self,shm self,tcp ARGS threads)
  endif()
endforeach()
