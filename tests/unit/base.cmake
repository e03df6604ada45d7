# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
set(here ${CMAKE_CURRENT_LIST_DIR})
hawser_add_test(unit_base ${here}/base_test.cpp ${here}/base_threads_test.cpp)
target_compile_definitions(unit_base PRIVATE HAWSER_HOOKS=1)
hawser_add_test(unit_progress ${here}/progress_event_loop_test.cpp ${here}/progress_engine_test.cpp ${here}/progress_sleepers_test.cpp)
hawser_add_test(unit_runtime ${here}/runtime_proc_blob_test.cpp ${here}/runtime_test.cpp)
add_dependencies(unit_runtime hawser_btl_self)  # loaded at run time
