# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Threads that send while rails come, go and break; meant for a race detector.
hawser_add_test(race_bml ${CMAKE_CURRENT_LIST_DIR}/bml_rails_test.cpp ${CMAKE_SOURCE_DIR}/tests/fakes/fake_rail.cpp
  LIBS hawser_pml hawser_bml)
target_compile_definitions(race_bml PRIVATE FAKE_FOLDER="${CMAKE_BINARY_DIR}/fake_plugin")
add_dependencies(race_bml fake_plugin)
