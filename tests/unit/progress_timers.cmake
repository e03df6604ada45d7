# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
hawser_add_test(unit_progress_timers ${CMAKE_CURRENT_LIST_DIR}/progress_timers_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/../race/failing_memory.cpp)
