# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# `hawser perf` from outside: that it measures and tells, not how fast anything is.
if(TARGET hawser_program AND TARGET mpi_abi AND TARGET hawser_btl_shm AND TARGET hawser_btl_tcp)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(part Levels Outputs Compared CommandLine)
    add_test(NAME perf.${part} COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/perf_test.py
      $<TARGET_FILE:hawser_program> ${part})
    set_tests_properties(perf.${part} PROPERTIES LABELS tools TIMEOUT 120 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  endforeach()
endif()
