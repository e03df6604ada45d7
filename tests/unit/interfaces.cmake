# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What the kernel and hwloc tell of interfaces; the parts that need root say so when they skip.
hawser_add_test(unit_routes ${CMAKE_CURRENT_LIST_DIR}/interfaces_routes_test.cpp)
hawser_add_test(unit_places ${CMAKE_CURRENT_LIST_DIR}/interfaces_places_test.cpp)
hawser_add_test(unit_kernel_interfaces ${CMAKE_CURRENT_LIST_DIR}/interfaces_kernel_test.cpp)
