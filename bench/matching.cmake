# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
find_package(benchmark QUIET)
if(benchmark_FOUND)
  add_executable(bench_matching ${CMAKE_CURRENT_LIST_DIR}/matching.cpp)
  set_target_properties(bench_matching PROPERTIES OUTPUT_NAME matching RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_link_libraries(bench_matching PRIVATE hawser hawser_compile benchmark::benchmark)
endif()
