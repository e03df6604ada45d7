// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace hawser::log {

/// error: a promise was broken; warn: unexpected, we go on; info: once per object at start and end; debug:
/// per connection event; trace: per message.
enum class Level : int { kTrace = 0, kDebug = 1, kInfo = 2, kWarn = 3, kError = 4, kOff = 6 };

/// Text before each line, for example "rank 3".
void set_prefix(const std::string& prefix);
/// What is written at all. Starts at kError: a correct run prints nothing.
void set_level(Level level);
Level level() noexcept;
/// One line, written whole to stderr. Thread-safe.
void write(Level level, std::string_view layer, std::string_view text) noexcept;

template <class... Args>
void print(Level at, std::string_view layer, fmt::format_string<Args...> text, Args&&... args) {
  if (at >= level()) write(at, layer, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace hawser::log
