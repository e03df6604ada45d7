# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
if(TARGET hawser_btl_shm_objects)
  hawser_add_test(stress_shm_ring ${CMAKE_CURRENT_LIST_DIR}/shm_ring.cpp $<TARGET_OBJECTS:hawser_btl_shm_objects>)
  hawser_add_test(stress_shm_pieces ${CMAKE_CURRENT_LIST_DIR}/shm_pieces.cpp $<TARGET_OBJECTS:hawser_btl_shm_objects>)
  hawser_add_test(stress_shm_trust ${CMAKE_CURRENT_LIST_DIR}/shm_trust.cpp $<TARGET_OBJECTS:hawser_btl_shm_objects>)
endif()
