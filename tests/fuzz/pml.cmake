# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What a peer may send to the PML.
hawser_add_test(fuzz_pml_seeded ${CMAKE_CURRENT_LIST_DIR}/pml_seeded_test.cpp LIBS hawser_pml hawser_bml ONE_THREAD)
add_dependencies(fuzz_pml_seeded hawser_btl_self)
