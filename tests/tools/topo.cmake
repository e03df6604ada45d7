# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# `hawser topo` from outside. Hosts needs root and ip(8) for network namespaces, and says so when it skips.
if(TARGET hawser_program AND TARGET hawser_btl_tcp)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(part Alone Peers Picture Hosts)
    add_test(NAME topo.${part} COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/topo_test.py
      $<TARGET_FILE:hawser_program> ${part})
    set_tests_properties(topo.${part} PROPERTIES LABELS tools TIMEOUT 120 SKIP_RETURN_CODE 77
      ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  endforeach()
endif()
