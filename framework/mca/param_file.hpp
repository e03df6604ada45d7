// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/mca/registry.hpp"

namespace hawser::mca {

/// The settings in the text of a parameter file. One `name = value` a line; `#` at the start of a line or
/// after a blank begins a comment; a value may stand in single or double quotes. `file` is for the source of
/// each setting and for errors. The error (kInvalid) names file and line.
Result<std::vector<Setting>> parse_param_text(std::string_view text, const std::string& file, Source source);

/// The same from a file. kNotFound if it does not exist; other errors name the file.
Result<std::vector<Setting>> read_param_file(const std::string& file, Source source);

}  // namespace hawser::mca
