# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Jobs and the library from outside.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(part Examples Singleton Unreachable Selection Ends Waiting)
  add_test(NAME mpi.outside.${part} COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/outside_test.py
    ${PROJECT_BINARY_DIR} ${part})
  set_tests_properties(mpi.outside.${part} PROPERTIES LABELS mpi TIMEOUT 400 PROCESSORS 2)
endforeach()
set_tests_properties(mpi.outside.Waiting PROPERTIES LABELS "mpi;heavy" RUN_SERIAL ON)

foreach(part Header Values Exports)
  add_test(NAME mpi.library.${part} COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/library_test.py
    ${PROJECT_SOURCE_DIR} $<TARGET_FILE:mpi_abi> ${part})
  set_tests_properties(mpi.library.${part} PROPERTIES LABELS mpi)
endforeach()
