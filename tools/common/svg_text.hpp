// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hawser::tools {

/// UTF-8 text as it may stand in SVG, also within quotes. Control characters, which XML has no way to write,
/// become question marks.
std::string svg_escaped(std::string_view text);

}  // namespace hawser::tools
