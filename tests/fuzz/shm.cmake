# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What another process may write into our memory, or publish as the way to its own.
if(TARGET hawser_btl_shm_objects)
  hawser_add_fuzz(shm LIBS hawser_btl_shm_objects)
endif()
