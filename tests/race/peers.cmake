# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The three rules: each at its worst moment, and each beside the old fault, which must be caught.
hawser_add_test(race_peers ${CMAKE_CURRENT_LIST_DIR}/peer_table_test.cpp ${CMAKE_CURRENT_LIST_DIR}/gate_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/gate_stress_test.cpp ${CMAKE_CURRENT_LIST_DIR}/peer_failure_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/peer_teardown_test.cpp ${CMAKE_CURRENT_LIST_DIR}/failing_memory.cpp)
set_target_properties(race_peers PROPERTIES UNITY_BUILD OFF)  # each has an Item or a Way of its own
target_compile_definitions(race_peers PRIVATE HAWSER_HOOKS=1)  # the classes are templates: the hooks come with them
if(HAWSER_HOOKS)  # its hooks are inside the library
  hawser_add_test(race_engine ${CMAKE_CURRENT_LIST_DIR}/engine_test.cpp)
endif()
