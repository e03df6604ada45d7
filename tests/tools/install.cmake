# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The compiler wrappers in the build tree, and the whole tree once it is installed and moved.
if(TARGET mpi_abi)
  foreach(part wrappers installed)
    add_test(NAME tools.${part} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/${part}_test.sh
      ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/${part})
    # heavy: a program built by plain mpicc cannot load libraries with a sanitizer in them
    set_tests_properties(tools.${part} PROPERTIES LABELS "tools;heavy" TIMEOUT 300)
  endforeach()
endif()
