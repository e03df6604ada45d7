# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What a peer or a stranger may send to tcp. With clang also as a libFuzzer program: bin/fuzz_tcp CORPUS
hawser_add_test(fuzz_tcp_seeded ${CMAKE_CURRENT_SOURCE_DIR}/tcp_input.cpp ${CMAKE_CURRENT_SOURCE_DIR}/tcp_seeded_test.cpp
  LIBS hawser_btl_tcp_objects)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_executable(fuzz_tcp EXCLUDE_FROM_ALL ${CMAKE_CURRENT_SOURCE_DIR}/tcp_input.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/tcp_fuzzer.cpp)
  target_compile_options(fuzz_tcp PRIVATE -fsanitize=fuzzer)
  target_link_options(fuzz_tcp PRIVATE -fsanitize=fuzzer)
  target_link_libraries(fuzz_tcp PRIVATE hawser hawser_compile hawser_btl_tcp_objects)
endif()
