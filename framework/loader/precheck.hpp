// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/base/result.hpp"

namespace hawser::loader {

/// Looks into a file without running any of its code: a regular, readable, complete ELF shared library for
/// this machine that exports a data object `symbol` of at least `size` bytes. Reads within bounds whatever
/// the file holds. The error says what it is instead.
Result<void> precheck(const std::string& path, const char* symbol, std::size_t size);

/// The names that such a file exports. Errors as above.
Result<std::vector<std::string>> exported_symbols(const std::string& path);

}  // namespace hawser::loader
