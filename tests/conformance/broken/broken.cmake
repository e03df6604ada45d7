# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Components that break one promise each, and the checks that notice: caught.tsv.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(broken_folder ${CMAKE_CURRENT_BINARY_DIR}/broken)

function(hawser_broken_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEFINITIONS" ${ARGN})
  add_library(hawser_btl_${name} MODULE ${arg_SOURCES})
  target_link_libraries(hawser_btl_${name} PRIVATE hawser hawser_compile)
  target_compile_definitions(hawser_btl_${name} PRIVATE ${arg_DEFINITIONS})
  set_target_properties(hawser_btl_${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${broken_folder})
endfunction()

set(wrap ${PROJECT_SOURCE_DIR}/components/fault)
hawser_broken_plugin(broken SOURCES ${here}/broken.cpp ${here}/module.cpp ${wrap}/wrap_component.cpp
  ${wrap}/wrap_host.cpp ${wrap}/wrap_module.cpp)
# A plug-in exports one symbol; the standard library's templates are visible of themselves.
target_link_options(hawser_btl_broken PRIVATE LINKER:--version-script=${here}/broken.map)
foreach(fault symbol=FILE_SYMBOL layout=FILE_LAYOUT=kOther flags=FILE_FLAGS=0x100 storage=FILE_STORAGE=g_first)
  string(REGEX MATCH "^([a-z]+)=(.+)$" matched ${fault})
  hawser_broken_plugin(broken_${CMAKE_MATCH_1} SOURCES ${here}/file.cpp
    DEFINITIONS FILE_NAME="broken_${CMAKE_MATCH_1}" ${CMAKE_MATCH_2})
endforeach()

# The component of `hawser new` with one piece of its code replaced: it believes whoever calls; it tries its goodbye once.
set(template ${PROJECT_SOURCE_DIR}/tools/new/template)
function(hawser_broken_template name piece instead)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(replaced FALSE)
  foreach(file component.cpp endpoint.hpp wire.hpp)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${template}/${file})
    file(READ ${template}/${file} text)
    string(REPLACE "${piece}" "${instead}" broken "${text}")
    if(NOT broken STREQUAL text)
      set(replaced TRUE)
    endif()
    string(REPLACE ferry ${name} broken "${broken}")
    file(CONFIGURE OUTPUT ${folder}/${file} CONTENT "${broken}" @ONLY)
  endforeach()
  if(NOT replaced)
    message(FATAL_ERROR "no file of ${template} says \"${piece}\"")
  endif()
  hawser_broken_plugin(${name} SOURCES ${folder}/component.cpp)
  target_link_options(hawser_btl_${name} PRIVATE LINKER:--version-script=${here}/broken.map)
endfunction()
hawser_broken_template(broken_believer "!is_process(in, proc->pid)" "false")
hawser_broken_template(broken_hasty "return say_goodbye();" "return say_goodbye() || true;")

# The base that all faults are derived from breaks nothing. heavy: what it is made of, fault, is looked at with sanitizers.
foreach(target self shm tcp)
  hawser_conformance(broken AS good_base_${target} PARAM target=${target})
  foreach(group ${groups})
    set_tests_properties(conformance.good_base_${target}.${group} PROPERTIES LABELS "conformance;heavy")
  endforeach()
endforeach()

file(STRINGS ${here}/caught.tsv rows)
list(POP_FRONT rows)
foreach(row ${rows})
  string(REPLACE "\t" ";" cells "${row}")
  list(GET cells 0 check)
  list(GET cells 1 plugin)
  list(LENGTH cells count)
  set(params)
  set(fault ${plugin})
  if(count GREATER 2)
    list(GET cells 2 params)
    string(REPLACE " " ";" params "${params}")
    if(row MATCHES "fault=([a-z_]+)")
      set(fault ${CMAKE_MATCH_1})
    endif()
  endif()
  if(check STREQUAL "end.no_leak" AND HAWSER_SANITIZE)
    continue()  # a sanitizer's memory cannot be counted
  endif()
  add_test(NAME conformance.caught.${check}.${fault} COMMAND ${Python3_EXECUTABLE} ${here}/caught.py
    $<TARGET_FILE:hawser_program> $<TARGET_FILE:hawser_btl_${plugin}> ${check} ${params})
  # heavy: the kit itself runs with sanitizers over good components.
  set_tests_properties(conformance.caught.${check}.${fault} PROPERTIES TIMEOUT 120 LABELS "conformance;heavy"
    SKIP_RETURN_CODE 77)
endforeach()

add_test(NAME conformance.caught.complete COMMAND ${Python3_EXECUTABLE} ${here}/complete.py
  $<TARGET_FILE:hawser_program> ${here}/caught.tsv ${here}/broken.cpp)
set_tests_properties(conformance.caught.complete PROPERTIES LABELS conformance)
