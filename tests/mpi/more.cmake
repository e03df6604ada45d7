# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Persistent and buffered sends, topologies, and what is smaller.
foreach(program persistent persistent_coll buffered topology neighbor)
  hawser_mpi_program(mpi_${program} ${CMAKE_CURRENT_LIST_DIR}/${program}.cpp)
  foreach(ranks 1 2 3 5)
    hawser_mpi_test(${program}_${ranks} mpi_${program} RANKS ${ranks} TIMEOUT 60 BTL self,shm self,tcp)
  endforeach()
  if(NOT program STREQUAL "topology")
    hawser_mpi_test(${program}_threads mpi_${program} RANKS 3 TIMEOUT 60 BTL self,shm self,tcp ARGS threads)
  endif()
endforeach()
if(HAWSER_HOOKS)  # they are inside the library
  target_link_libraries(mpi_buffered PRIVATE hawser)
endif()
hawser_mpi_program(mpi_more_calls ${CMAKE_CURRENT_LIST_DIR}/more_calls.cpp)
foreach(ranks 1 3)
  hawser_mpi_test(more_calls_${ranks} mpi_more_calls RANKS ${ranks} TIMEOUT 60 BTL self,shm self,tcp)
endforeach()
hawser_mpi_program(mpi_callbacks ${CMAKE_CURRENT_LIST_DIR}/callbacks.cpp)
foreach(ranks 1 3)
  hawser_mpi_test(callbacks_${ranks} mpi_callbacks RANKS ${ranks} TIMEOUT 60 BTL self,shm self,tcp)
endforeach()
hawser_mpi_program(mpi_no_memory ${CMAKE_CURRENT_LIST_DIR}/no_memory.cpp
  ${CMAKE_SOURCE_DIR}/tests/race/failing_memory.cpp)
hawser_mpi_test(no_memory mpi_no_memory RANKS 1 TIMEOUT 60 BTL self,shm self,tcp)
hawser_mpi_test(more_calls_threads mpi_more_calls RANKS 3 TIMEOUT 60 BTL self,shm self,tcp ARGS threads)
