# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Rails that change and break, against a component that lives in the test.
set(fake_folder ${CMAKE_BINARY_DIR}/fake_plugin)
add_library(fake_plugin MODULE ${CMAKE_SOURCE_DIR}/tests/fakes/fake_plugin.cpp)
target_link_libraries(fake_plugin PRIVATE hawser hawser_compile)
set_target_properties(fake_plugin PROPERTIES PREFIX "" OUTPUT_NAME hawser_btl_fake LIBRARY_OUTPUT_DIRECTORY ${fake_folder})
hawser_add_test(unit_bml_guard ${CMAKE_CURRENT_LIST_DIR}/bml_guard_test.cpp ${CMAKE_CURRENT_LIST_DIR}/bml_rails_test.cpp
  ${CMAKE_SOURCE_DIR}/tests/fakes/fake_rail.cpp LIBS hawser_pml hawser_bml ONE_THREAD)
target_compile_definitions(unit_bml_guard PRIVATE FAKE_FOLDER="${fake_folder}")
add_dependencies(unit_bml_guard fake_plugin)
