// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/check/check.hpp"

namespace hawser::check {

/// One line of a verdict, and why if it is not "passed".
std::string verdict_line(const Verdict& verdict, bool colour);
/// "42 promises kept, 1 broken, 3 not looked at".
std::string summary(const std::vector<Verdict>& verdicts);
/// All of it for programs.
std::string json_report(const Subject& subject, const std::vector<Verdict>& verdicts);
/// The names and promises of the checks, one line each.
std::string list_text();

}  // namespace hawser::check
