# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What component authors may take beside the contract.
hawser_add_test(unit_sdk ${CMAKE_CURRENT_LIST_DIR}/sdk_parts_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sdk_listener_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sdk_one_module_test.cpp ONE_THREAD)
