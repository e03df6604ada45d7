// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hawser::btl {

/// The answer to a post; there is no other. A refused post (the last two) has had no effect.
enum class [[nodiscard]] Posted : std::uint8_t{
    kDone,         // the bytes are yours again; no callback follows
    kPending,      // exactly one callback follows, never before the post returns
    kNoResource,   // nothing happened; queue it and post again after progress
    kUnreachable,  // the rail is gone; nothing happened
};

}  // namespace hawser::btl
