# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# A few jobs of each variant here; by hand as many as one likes.
if(TARGET mpi_abi AND TARGET hawser_program)
  set(variants "plain," "thread,--thread")
  if(HAWSER_HOOKS)
    list(APPEND variants "delays,--delays,2000" "thread_delays,--thread,--delays,2000")
  endif()
  add_dependencies(races mpi_first_contact)
  foreach(variant ${variants})
    string(REPLACE "," ";" options "${variant}")
    list(POP_FRONT options name)
    add_test(NAME net.mpi_first_contact.${name} COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/mpi_first_contact.sh
      ${PROJECT_BINARY_DIR} --jobs 10 ${options})
    set_tests_properties(net.mpi_first_contact.${name} PROPERTIES LABELS "net;mpi;race" TIMEOUT 300 PROCESSORS 2)
  endforeach()
endif()
