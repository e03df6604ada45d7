// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/info/told.hpp"

namespace hawser::tools {

std::string counters_text(const std::vector<Teller>& tellers, std::size_t width, bool colour);
std::string counters_md(const std::vector<Teller>& tellers);
nlohmann::ordered_json counters_json(const std::vector<Teller>& tellers);

}  // namespace hawser::tools
