# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
if(TARGET hawser_btl_shm_objects)
  hawser_add_test(unit_shm ${CMAKE_CURRENT_LIST_DIR}/shm_component_test.cpp ${CMAKE_CURRENT_LIST_DIR}/shm_distance_test.cpp
    ${CMAKE_SOURCE_DIR}/tests/race/failing_memory.cpp LIBS hawser_btl_shm_objects ONE_THREAD)
endif()
