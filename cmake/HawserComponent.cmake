# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# hawser_add_component(NAME SOURCES...): builds hawser_btl_NAME.so as the loader wants it, and the same
# objects as hawser_btl_NAME_objects, so that tests, sanitizers and fuzzers see one binary.
# The same function serves projects outside, after find_package(hawser).
include(GNUInstallDirs)

function(hawser_add_component name)
  if(TARGET hawser_compile)
    set(libraries hawser hawser_compile)
    set(folder ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/hawser)
  else()
    set(libraries hawser::btl)
    set(folder ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  add_library(hawser_btl_${name}_objects OBJECT ${ARGN})
  target_link_libraries(hawser_btl_${name}_objects PUBLIC ${libraries})
  set_target_properties(hawser_btl_${name}_objects PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
  add_library(hawser_btl_${name} MODULE $<TARGET_OBJECTS:hawser_btl_${name}_objects>)
  target_link_libraries(hawser_btl_${name} PRIVATE ${libraries})
  set_target_properties(hawser_btl_${name} PROPERTIES
    PREFIX "" LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${folder} INSTALL_RPATH "$ORIGIN/..")
  # Hidden visibility leaves templates of the standard library exported; a plug-in exports its descriptor alone.
  set(exports ${CMAKE_CURRENT_BINARY_DIR}/hawser_btl_${name}.map)
  file(CONFIGURE OUTPUT ${exports} CONTENT "{ global: hawser_btl_component; local: *; };\n")
  target_link_options(hawser_btl_${name} PRIVATE LINKER:--version-script=${exports})
  set_property(TARGET hawser_btl_${name} APPEND PROPERTY LINK_DEPENDS ${exports})
  install(TARGETS hawser_btl_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hawser)
endfunction()
