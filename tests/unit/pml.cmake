# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Rails, slices and matching: against scripted modules, naive models, and a world of one over self.
hawser_alone(${CMAKE_CURRENT_LIST_DIR}/pml_place_test.cpp ${CMAKE_CURRENT_LIST_DIR}/pml_foreseen_test.cpp)
hawser_add_test(unit_pml ${CMAKE_CURRENT_LIST_DIR}/pml_tables_test.cpp ${CMAKE_CURRENT_LIST_DIR}/pml_channel_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pml_self_test.cpp ${CMAKE_CURRENT_LIST_DIR}/pml_failure_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pml_place_test.cpp ${CMAKE_CURRENT_LIST_DIR}/pml_foreseen_test.cpp
  ${CMAKE_SOURCE_DIR}/tests/fakes/fake_module.cpp LIBS hawser_pml hawser_bml)
hawser_add_test(unit_bml ${CMAKE_CURRENT_LIST_DIR}/bml_test.cpp ${CMAKE_SOURCE_DIR}/tests/fakes/fake_module.cpp
  LIBS hawser_pml hawser_bml)
add_dependencies(unit_pml hawser_btl_self)
add_dependencies(unit_bml hawser_btl_self)
hawser_add_test(unit_pml_memory ${CMAKE_CURRENT_LIST_DIR}/pml_memory_test.cpp
  ${CMAKE_SOURCE_DIR}/tests/race/failing_memory.cpp LIBS hawser_pml hawser_bml ONE_THREAD)
add_dependencies(unit_pml_memory hawser_btl_self)
hawser_add_test(unit_pml_taken ${CMAKE_CURRENT_LIST_DIR}/pml_taken_test.cpp ${CMAKE_SOURCE_DIR}/tests/fakes/fake_rail.cpp
  LIBS hawser_pml hawser_bml)
target_compile_definitions(unit_pml_taken PRIVATE FAKE_FOLDER="${CMAKE_BINARY_DIR}/fake_plugin")
add_dependencies(unit_pml_taken fake_plugin)
