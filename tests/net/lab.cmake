# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Whole jobs on test hosts; the cases are named after kinds of reports. By hand, with as many runs as a night has
# room for: main.py HAWSER TALK CASE --long
if(TARGET mpi_abi AND TARGET hawser_program)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_executable(net_lab_talk ${CMAKE_CURRENT_LIST_DIR}/lab/talk.c)
  target_link_libraries(net_lab_talk PRIVATE mpi_abi hawser_compile)

  # hawser_lab_case(NAME [HEAVY]): HEAVY is for those that would disturb, or be disturbed by, others.
  function(hawser_lab_case name)
    add_test(NAME net.lab.${name} COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/lab/main.py
      $<TARGET_FILE:hawser_program> $<TARGET_FILE:net_lab_talk> ${name})
    set(labels net mpi)
    if("HEAVY" IN_LIST ARGN)
      list(APPEND labels heavy)
    endif()
    set_tests_properties(net.lab.${name} PROPERTIES LABELS "${labels}" TIMEOUT 300 SKIP_RETURN_CODE 77)
  endfunction()

  foreach(name Default_Settings B01_Bridges_Of_Containers B02_Same_Address_On_Both
      B03_Several_Addresses_On_One_Interface B05_Exclude_And_Loopback B06_Include_And_Exclude
      B07_Names_That_Do_Not_Exist B09_Harmless_Lines B11_Tunnel_First B13_Properties_Not_Names B16_Shapes B18_Listeners
      B19_Half_Built_Peer B21_Leftover_Duplicates B25_Routed)
    hawser_lab_case(${name})
  endforeach()
  foreach(name B20_Both_Connect_At_Once B23_Strangers B25_Black_Holes B25_Refusals B27_File_Descriptors Late_Networks)
    hawser_lab_case(${name} HEAVY)
  endforeach()
endif()
