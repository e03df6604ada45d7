# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
hawser_add_test(unit_progress_thread ${CMAKE_CURRENT_LIST_DIR}/progress_thread_test.cpp)
if(HAWSER_HOOKS)  # they are inside the library
  target_sources(unit_progress_thread PRIVATE ${CMAKE_CURRENT_LIST_DIR}/progress_thread_hooks_test.cpp)
endif()
