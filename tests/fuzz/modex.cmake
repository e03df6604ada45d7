# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What launcher and ranks read of each other.
hawser_add_fuzz(modex SOURCES ${PROJECT_SOURCE_DIR}/tools/run/server.cpp ${PROJECT_SOURCE_DIR}/tools/run/server_fence.cpp)
