// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace hawser::modex {

/// Gives bytes from outside to all that reads such: the cutter of frames and every message, a published blob,
/// the launcher's half (as frames of several ranks) and the rank's half (as the launcher's answers). Aborts
/// if one of them breaks a promise.
void read_foreign_input(const unsigned char* data, std::size_t size);

}  // namespace hawser::modex
