// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace hawser::fuzz {

/// One input, whatever it is; a broken promise aborts. Of each program its own.
void read(const unsigned char* data, std::size_t size);
/// True inputs, to begin with. Likewise.
std::vector<std::string> seeds();

}  // namespace hawser::fuzz
