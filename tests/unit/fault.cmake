# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
if(TARGET hawser_btl_fault_objects)
  hawser_add_test(unit_fault ${CMAKE_CURRENT_LIST_DIR}/fault_test.cpp ${CMAKE_SOURCE_DIR}/tests/fakes/fake_module.cpp
    ${CMAKE_SOURCE_DIR}/tests/race/failing_memory.cpp LIBS hawser_btl_fault_objects ONE_THREAD)
endif()
