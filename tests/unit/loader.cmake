# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The loader, against tiny plug-ins with one fault each.
set(loader_plugins ${CMAKE_CURRENT_BINARY_DIR}/loader_plugins)

# hawser_test_plugin(NAME DEFINITIONS...): loader_plugins/hawser_btl_NAME.so
function(hawser_test_plugin name)
  add_library(loader_plugin_${name} MODULE loader/plugin.cpp)
  target_link_libraries(loader_plugin_${name} PRIVATE hawser hawser_compile)
  target_compile_definitions(loader_plugin_${name} PRIVATE PLUGIN_NAME="${name}" ${ARGN})
  set_target_properties(loader_plugin_${name} PROPERTIES PREFIX "" OUTPUT_NAME hawser_btl_${name}
    LIBRARY_OUTPUT_DIRECTORY ${loader_plugins})
  add_dependencies(unit_loader loader_plugin_${name})
endfunction()

hawser_add_test(unit_loader loader/discover_test.cpp loader/select_test.cpp loader/open_test.cpp
  loader/precheck_test.cpp loader/told_test.cpp ONE_THREAD)
target_compile_definitions(unit_loader PRIVATE PLUGIN_FOLDER="${loader_plugins}"
  COMPONENT_FOLDER="${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/hawser")
foreach(component self shm tcp)
  if(TARGET hawser_btl_${component})
    add_dependencies(unit_loader hawser_btl_${component})
  endif()
endforeach()

hawser_test_plugin(self)
hawser_test_plugin(good)
hawser_test_plugin(other)
hawser_test_plugin(undefined PLUGIN_UNDEFINED)
hawser_test_plugin(major PLUGIN_MAJOR=99)
hawser_test_plugin(minor PLUGIN_MINOR=99)
hawser_test_plugin(magic PLUGIN_MAGIC=1)
hawser_test_plugin(framework PLUGIN_FRAMEWORK="pml")
hawser_test_plugin(misnamed PLUGIN_CALLED="another")
hawser_test_plugin(small PLUGIN_SIZE=24)
hawser_test_plugin(short PLUGIN_SIZE=96)
hawser_test_plugin(older PLUGIN_MINOR=0 PLUGIN_SIZE=96)
hawser_test_plugin(older_swollen PLUGIN_MINOR=0 PLUGIN_SIZE=96 PLUGIN_LAYOUT=kSwollenRows)
hawser_test_plugin(older_rows PLUGIN_MINOR=0 PLUGIN_SIZE=96 PLUGIN_ROWS=1000)
hawser_test_plugin(bare PLUGIN_BARE)
hawser_test_plugin(swollen PLUGIN_LAYOUT=kSwollenRows)
hawser_test_plugin(rowless PLUGIN_ROWS=0)
hawser_test_plugin(shy PLUGIN_FLAGS=hawser::btl::kOnlyByName)
hawser_test_plugin(closed PLUGIN_OPEN=kUnreachable)
hawser_test_plugin(null "PLUGIN_CREATE=return nullptr")
hawser_test_plugin(throws "PLUGIN_CREATE=throw std::runtime_error(\"no luck\")")
