# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
hawser_add_test(unit_assignment ${CMAKE_CURRENT_LIST_DIR}/matching_assignment_test.cpp ONE_THREAD)
hawser_add_test(unit_matching_routes ${CMAKE_CURRENT_LIST_DIR}/matching_routes_test.cpp ONE_THREAD)
hawser_add_test(unit_matching_hosts ${CMAKE_CURRENT_LIST_DIR}/matching_hosts_test.cpp)
