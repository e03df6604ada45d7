# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers and switches, as one interface target that every target of the project links.
add_library(hawser_compile INTERFACE)
target_include_directories(hawser_compile INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
target_compile_options(hawser_compile INTERFACE -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(hawser_compile INTERFACE -Wno-restrict)  # false alarms of g++ 12 on std::string (GCC bug 105651)
endif()
if(HAWSER_WERROR)
  target_compile_options(hawser_compile INTERFACE -Werror)
endif()
if(HAWSER_HOOKS)
  target_compile_definitions(hawser_compile INTERFACE HAWSER_HOOKS=1)
endif()
if(HAWSER_THREAD_SAFETY)
  target_compile_options(hawser_compile INTERFACE -Wthread-safety -Wthread-safety-beta -Werror=thread-safety
                         -Wreserved-identifier)
endif()
if(HAWSER_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  add_compile_options(-g1)  # a trace needs lines and names of functions; the rest of -g is a quarter of the build's time
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Often false of what g++ 12 inlines from a precompiled header, and with what a sanitizer puts in; the last of sources
  # compiled together, which g++ takes for headers.
  set(hawser_no_false_alarms -Wno-array-bounds -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread
                             -Wno-subobject-linkage)
endif()
if(HAWSER_SANITIZE)
  add_compile_options(-fsanitize=${HAWSER_SANITIZE} -fno-omit-frame-pointer ${hawser_no_false_alarms})
  add_link_options(-fsanitize=${HAWSER_SANITIZE})
  if(HAWSER_SANITIZE MATCHES "undefined")
    # The check of virtual tables opens pipes to look at memory; tests that run out of descriptors mislead it.
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=vptr)
  endif()
  if(HAWSER_SANITIZE MATCHES "thread")
    # Each atomic that is not inlined is a call that is watched: the tests take half the time. With the others, building
    # takes longer than the tests gain.
    add_compile_options(-O1)
  endif()
  if(HAWSER_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # fences are paired with atomics that TSan sees
  endif()
endif()
find_program(HAWSER_CCACHE ccache)
if(HAWSER_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${HAWSER_CCACHE})
  # Without these two, ccache lets what uses a precompiled header pass by.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${HAWSER_CCACHE})
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()

# hawser_alone(FILES...): compiled by themselves where CMAKE_UNITY_BUILD joins others (tests; with sanitizers everything),
# since they use names that others use, too. The files belong to targets of the folder that calls it.
function(hawser_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# hawser_precompile(TARGET HEADERS...): what nearly every source of it includes and costs most to read. Not for analysis,
# which compiles nothing.
function(hawser_precompile target)
  if(NOT HAWSER_THREAD_SAFETY)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
