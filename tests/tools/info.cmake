# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
if(TARGET hawser_program)
  hawser_add_test(tools_info info_test.cpp info_params_test.cpp info_parts_test.cpp info_run.cpp
    LIBS nlohmann_json::nlohmann_json ONE_THREAD)
  target_compile_definitions(tools_info PRIVATE HAWSER_PROGRAM="$<TARGET_FILE:hawser_program>"
    HAWSER_LIBRARY="$<TARGET_FILE:hawser>" HAWSER_LIBRARY_NAME="$<TARGET_SONAME_FILE_NAME:hawser>"
    PARAMS_FOLDER="${PROJECT_SOURCE_DIR}/mca-params" COMPONENT_FOLDER="${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/hawser")
  add_dependencies(tools_info hawser_program)
  foreach(component self shm tcp fault)
    if(TARGET hawser_btl_${component})
      add_dependencies(tools_info hawser_btl_${component})
    endif()
  endforeach()
endif()
