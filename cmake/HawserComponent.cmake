# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# hawser_add_component(NAME SOURCES...): builds hawser_btl_NAME.so as the loader wants it, and the same
# objects as hawser_btl_NAME_objects, so that tests, sanitizers and fuzzers see one binary.
function(hawser_add_component name)
  add_library(hawser_btl_${name}_objects OBJECT ${ARGN})
  target_link_libraries(hawser_btl_${name}_objects PUBLIC hawser hawser_compile)
  add_library(hawser_btl_${name} MODULE $<TARGET_OBJECTS:hawser_btl_${name}_objects>)
  target_link_libraries(hawser_btl_${name} PRIVATE hawser hawser_compile)
  set_target_properties(hawser_btl_${name} PROPERTIES
    PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/hawser
    INSTALL_RPATH "$ORIGIN/..")
  install(TARGETS hawser_btl_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hawser)
endfunction()
