// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tools/check/check.hpp"

namespace hawser::check {

// One list per group, in the file of that name.
std::span<const Check> file_checks();
std::span<const Check> module_checks();
std::span<const Check> reach_checks();
std::span<const Check> message_checks();
std::span<const Check> post_checks();
std::span<const Check> flow_checks();
std::span<const Check> sleep_checks();
std::span<const Check> thread_checks();
std::span<const Check> memory_checks();
std::span<const Check> end_checks();
std::span<const Check> leave_checks();
std::span<const Check> many_checks();
std::span<const Check> take_checks();

}  // namespace hawser::check
