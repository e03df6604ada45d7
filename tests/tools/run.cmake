# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The launcher and the modex, from outside.
if(TARGET hawser_run)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_executable(run_rank ${CMAKE_CURRENT_LIST_DIR}/run_rank.cpp)
  target_link_libraries(run_rank PRIVATE hawser hawser_compile)
  foreach(part Status CleanUp Output Input Modex CommandLine)
    add_test(NAME run.${part} COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/run_test.py
      $<TARGET_FILE:hawser_program> $<TARGET_FILE:run_rank> ${part})
    set_tests_properties(run.${part} PROPERTIES LABELS tools TIMEOUT 240)
  endforeach()
  if(HAWSER_SANITIZE)  # each of the many starts costs ten times as much
    set_tests_properties(run.Status PROPERTIES ENVIRONMENT HAWSER_TEST_RUNS=50)
  endif()
endif()
