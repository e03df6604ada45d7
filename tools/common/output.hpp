// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hawser::tools {

/// Writes all of `text` to `file`, or to stdout if that is "-". The exit status: 0, or 1 after it has said in
/// the name of `command` ("hawser topo") what went wrong.
int write_out(std::string_view command, const std::string& file, const std::string& text);

}  // namespace hawser::tools
