# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Collectives' schedules, run by a simulator.
if(TARGET hawser_mpi_objects)
  hawser_add_test(unit_coll coll_schedules_test.cpp coll_fold_test.cpp coll_slots_test.cpp coll_spread_test.cpp $<TARGET_OBJECTS:hawser_mpi_objects>
    LIBS hawser_pml hawser_bml ONE_THREAD)
endif()
