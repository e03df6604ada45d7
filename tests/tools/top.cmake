# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What a running job shows of itself, and what it prints at its end.
if(TARGET hawser_program AND TARGET mpi_abi AND TARGET hawser_btl_shm AND TARGET hawser_btl_tcp)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_executable(top_ranks ${CMAKE_CURRENT_LIST_DIR}/top_ranks.c)
  target_link_libraries(top_ranks PRIVATE mpi_abi hawser_compile)
  add_dependencies(top_ranks hawser_program hawser_btl_self hawser_btl_shm hawser_btl_tcp)
  foreach(part Top Errors Stats)
    add_test(NAME top.${part} COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/top_test.py
      $<TARGET_FILE:hawser_program> $<TARGET_FILE:top_ranks> ${part})
    set_tests_properties(top.${part} PROPERTIES LABELS tools TIMEOUT 120 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  endforeach()
endif()
