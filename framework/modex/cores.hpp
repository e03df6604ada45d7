// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace hawser::modex {

/// Cores that this process may use: its affinity, cut down to its cgroup's CPU quota (version 2 or 1); at
/// least one. `root` stands before /proc and /sys, for tests.
std::uint32_t count_cores(const std::string& root = "");

/// The part of count_cores that comes from control groups: whole cores, 0 if there is no limit.
std::uint32_t quota_cores(const std::string& root);

}  // namespace hawser::modex
