# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What a process shows of itself. The fake plug-in is made in bml_guard.cmake.
hawser_add_test(unit_live ${CMAKE_CURRENT_LIST_DIR}/live_test.cpp ${CMAKE_SOURCE_DIR}/tests/fakes/fake_rail.cpp
  LIBS hawser_pml hawser_bml)
target_compile_definitions(unit_live PRIVATE FAKE_FOLDER="${CMAKE_BINARY_DIR}/fake_plugin")
add_dependencies(unit_live fake_plugin)
