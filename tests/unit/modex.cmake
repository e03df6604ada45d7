# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The wire between launcher and ranks, the launcher's half of the modex, and counting cores.
set(modex_server ${PROJECT_SOURCE_DIR}/tools/run/server.cpp ${PROJECT_SOURCE_DIR}/tools/run/server_fence.cpp)
hawser_add_test(unit_modex modex_protocol_test.cpp modex_server_test.cpp modex_cores_test.cpp modex_embedded_test.cpp
  modex_outcomes_test.cpp modex_launcher.cpp ${modex_server})
