# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# How bench/compare.sh judges; that it measures is not a test's business.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME tools.compare COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/compare_test.py ${PROJECT_SOURCE_DIR})
set_tests_properties(tools.compare PROPERTIES LABELS tools TIMEOUT 30 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
