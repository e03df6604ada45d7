# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
if(TARGET hawser_program)
  add_test(NAME tools.output COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/output_test.sh $<TARGET_FILE:hawser_program>)
  set_tests_properties(tools.output PROPERTIES LABELS "tools" TIMEOUT 60)
endif()
