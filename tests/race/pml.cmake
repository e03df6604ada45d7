# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Several threads inside the PML and the BML at once; meant for a race detector.
hawser_add_test(race_pml ${CMAKE_CURRENT_LIST_DIR}/pml_threads_test.cpp LIBS hawser_pml hawser_bml)
add_dependencies(race_pml hawser_btl_self)
