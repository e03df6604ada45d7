# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# First contact through the real parts; the hooks are inside them.
if(HAWSER_HOOKS)
  set(unit ${PROJECT_SOURCE_DIR}/tests/unit)
  hawser_add_test(race_tcp ${CMAKE_CURRENT_LIST_DIR}/tcp_first_contact_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/failing_memory.cpp ${unit}/tcp_fake_job.cpp LIBS hawser_btl_tcp_objects)
  hawser_add_test(race_runtime ${CMAKE_CURRENT_LIST_DIR}/runtime_first_contact_test.cpp ${unit}/modex_launcher.cpp
    ${PROJECT_SOURCE_DIR}/tools/run/server.cpp ${PROJECT_SOURCE_DIR}/tools/run/server_fence.cpp LIBS hawser_bml)
  add_dependencies(race_runtime hawser_btl_self hawser_btl_tcp)  # loaded at run time
endif()
