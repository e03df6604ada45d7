# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# 20 jobs here; by hand as many as one likes.
if(TARGET mpi_abi AND TARGET hawser_program)
  add_test(NAME net.mpi_first_contact COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/mpi_first_contact.sh
    ${PROJECT_BINARY_DIR} 20)
  set_tests_properties(net.mpi_first_contact PROPERTIES LABELS "net;mpi" TIMEOUT 300 PROCESSORS 2)
endif()
