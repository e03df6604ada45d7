// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace hawser::mca {

/// Reads bytes as one of these, as the first of them says: the text of a parameter file with values of every
/// type, a list of components, or what a rank publishes of itself. A broken promise aborts.
void read_foreign_input(const unsigned char* data, std::size_t size);

inline constexpr unsigned char kFeedFile = 0;
inline constexpr unsigned char kFeedList = 1;
inline constexpr unsigned char kFeedProc = 2;

}  // namespace hawser::mca
