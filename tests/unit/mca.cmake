# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
hawser_add_test(unit_mca mca_value_test.cpp mca_file_test.cpp mca_selection_test.cpp mca_registry_test.cpp
  mca_sources_test.cpp mca_print_test.cpp ONE_THREAD)
