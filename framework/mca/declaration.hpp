// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "framework/base/result.hpp"
#include "framework/mca/param_row.hpp"

namespace hawser::mca {

/// framework_component_name, with empty parts left out.
std::string full_name(std::string_view framework, std::string_view component, std::string_view name);

/// Whether rows, which may come from a plug-in, can be declared: names, help, storage, level, range, default.
/// The error (kUnsupported) names the row.
Result<void> check_declaration(std::string_view framework, std::string_view component, const ParamRow* rows,
                               std::size_t count);

}  // namespace hawser::mca
