# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Only where the figures mean something: optimized, without hooks and sanitizers.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(CMAKE_BUILD_TYPE MATCHES "Rel" AND NOT HAWSER_HOOKS AND NOT HAWSER_SANITIZE)
  hawser_mpi_program(mpi_instructions ${CMAKE_CURRENT_LIST_DIR}/instructions.c)
  add_test(NAME mpi.instructions COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/instructions_test.py
    $<TARGET_FILE:hawser_program> $<TARGET_FILE:mpi_instructions>)
  set_tests_properties(mpi.instructions PROPERTIES LABELS mpi TIMEOUT 500 PROCESSORS 2 SKIP_RETURN_CODE 77)
endif()
