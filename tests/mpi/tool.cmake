# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The tool interface, MPI_T.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(name life counters list threads differ)
  hawser_mpi_program(mpi_tool_${name} ${CMAKE_CURRENT_LIST_DIR}/tool_${name}.c)
endforeach()
hawser_mpi_test(tool_life mpi_tool_life RANKS 2 BTL self,shm self,tcp)
hawser_mpi_test(tool_before_and_after mpi_tool_life RANKS 2 BTL self,shm ARGS before_and_after)
hawser_mpi_test(tool_counters_shm mpi_tool_counters RANKS 2 BTL self,shm ARGS shm)
hawser_mpi_test(tool_counters_tcp mpi_tool_counters RANKS 2 BTL self,tcp MCA btl_tcp_links 2 ARGS tcp)
hawser_mpi_test(tool_threads mpi_tool_threads RANKS 2 BTL self,tcp)
hawser_mpi_test(tool_differ mpi_tool_differ RANKS 4 BTL self,shm)
add_test(NAME mpi.tool_list COMMAND Python3::Interpreter
  ${CMAKE_CURRENT_LIST_DIR}/tool_list_test.py $<TARGET_FILE:hawser_program> $<TARGET_FILE:mpi_tool_list>)
set_tests_properties(mpi.tool_list PROPERTIES LABELS "mpi" TIMEOUT 120)
