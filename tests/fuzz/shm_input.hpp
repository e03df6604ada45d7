// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace hawser::shm {

/// Reads bytes as what another process wrote: the first chooses a published blob, or a ring in our memory (a
/// line of kRingStep bytes for each message: kind, sizes, tag, the slot's payload). A broken promise aborts.
void read_foreign_input(const unsigned char* data, std::size_t size);

inline constexpr unsigned char kFeedBlob = 0;
inline constexpr unsigned char kFeedRing = 1;
inline constexpr std::size_t kRingStep = 4 + 56;

}  // namespace hawser::shm
