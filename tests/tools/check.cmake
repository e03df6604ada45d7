# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# `hawser check` as a program: what it takes, what it writes, how it ends. What it checks: tests/conformance.
if(TARGET hawser_program AND TARGET hawser_btl_self AND TARGET hawser_btl_fault
    AND TARGET hawser_btl_ferry)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME tools.check COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/check_test.py
    $<TARGET_FILE:hawser_program> $<TARGET_FILE:hawser_btl_self> $<TARGET_FILE:hawser_btl_fault>
    $<TARGET_FILE:hawser_btl_ferry>)
  set_tests_properties(tools.check PROPERTIES LABELS tools TIMEOUT 120 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endif()
