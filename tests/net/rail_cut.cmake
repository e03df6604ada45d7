# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# A cable is cut while an MPI job talks over it.
if(TARGET mpi_abi AND TARGET hawser_program)
  add_executable(net_rail_cut ${CMAKE_CURRENT_LIST_DIR}/rail_cut.cpp)
  target_link_libraries(net_rail_cut PRIVATE mpi_abi hawser_compile)
  add_dependencies(net_rail_cut hawser_program hawser_btl_self hawser_btl_tcp)
  foreach(how down deleted silent)
    add_test(NAME net.rail_cut.${how} COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/rail_cut.sh ${PROJECT_BINARY_DIR}
      $<TARGET_FILE:net_rail_cut> ${how})
    set_tests_properties(net.rail_cut.${how} PROPERTIES LABELS "net;mpi" TIMEOUT 150 PROCESSORS 2)
  endforeach()
endif()
