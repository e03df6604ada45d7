# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What launcher and ranks read of each other. With clang also as a libFuzzer program: bin/fuzz_modex CORPUS
set(modex_input ${CMAKE_CURRENT_SOURCE_DIR}/modex_input.cpp ${PROJECT_SOURCE_DIR}/tools/run/server.cpp
  ${PROJECT_SOURCE_DIR}/tools/run/server_fence.cpp)
hawser_add_test(fuzz_modex_seeded ${modex_input} ${CMAKE_CURRENT_SOURCE_DIR}/modex_seeded_test.cpp)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_executable(fuzz_modex EXCLUDE_FROM_ALL ${modex_input} ${CMAKE_CURRENT_SOURCE_DIR}/modex_fuzzer.cpp)
  target_compile_options(fuzz_modex PRIVATE -fsanitize=fuzzer)
  target_link_options(fuzz_modex PRIVATE -fsanitize=fuzzer)
  target_link_libraries(fuzz_modex PRIVATE hawser hawser_compile)
endif()
