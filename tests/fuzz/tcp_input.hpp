// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace hawser::tcp {

/// Feeds bytes to one of the three readers; the first byte chooses: blob, hello and answer, or frames. What
/// was read is checked against its promises; a broken promise aborts.
void read_foreign_input(const unsigned char* data, std::size_t size);

inline constexpr unsigned char kFeedBlob = 0;
inline constexpr unsigned char kFeedHello = 1;
inline constexpr unsigned char kFeedFrames = 2;

}  // namespace hawser::tcp
