# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Interfaces, matching and the tcp component; two ranks live in one process and talk over loopback.
hawser_add_test(unit_interfaces ${CMAKE_CURRENT_SOURCE_DIR}/interfaces_test.cpp ONE_THREAD)
hawser_add_test(unit_matching ${CMAKE_CURRENT_SOURCE_DIR}/matching_test.cpp ONE_THREAD)
hawser_add_test(unit_tcp ${CMAKE_CURRENT_SOURCE_DIR}/tcp_fake_job.cpp ${CMAKE_CURRENT_SOURCE_DIR}/tcp_parts_test.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/tcp_component_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/tcp_connect_test.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/tcp_change_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/tcp_handshake_test.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/tcp_gather_test.cpp
  LIBS hawser_btl_tcp_objects)
