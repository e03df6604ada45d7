# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# A generated page says what the code says: `hawser info OPTION` is what EXPECTED holds; the target UPDATE remakes it.
# Nothing of the user who runs the test may show.
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=HAWSER_MCA_mca_component_path HOME=/nonexistent ${HAWSER} info ${OPTION} OUTPUT_FILE ${ACTUAL} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND diff -u ${EXPECTED} ${ACTUAL} RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "${EXPECTED} is out of date: cmake --build BUILD --target ${UPDATE}")
endif()
