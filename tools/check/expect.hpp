// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tools/check/board.hpp"

// What a check says of what it finds. In words for the author of a component: what was promised and what
// came instead.

namespace hawser::check {

/// Ends the body of a check that cannot go on; what is wrong has been said.
struct Stop {};

/// Where this process reports from now on, and as whom.
void report_to(Board& board, const std::string& who);
/// Notes a failure. Any thread.
void fail(const std::string& text) noexcept;
bool failed() noexcept;
/// Something went on: whoever waits for more waits anew. Any thread.
void note_move() noexcept;
/// The check does not apply to this component. Ends the body.
[[noreturn]] void skip(const std::string& why);

/// Notes a failure unless `ok`. Gives `ok`.
template <class... Words>
bool expect(bool ok, fmt::format_string<Words...> text, Words&&... words) noexcept {
  if (!ok) fail(fmt::format(text, std::forward<Words>(words)...));
  return ok;
}

/// As expect, and the check cannot go on without it.
template <class... Words>
void require(bool ok, fmt::format_string<Words...> text, Words&&... words) {
  if (ok) return;
  fail(fmt::format(text, std::forward<Words>(words)...));
  throw Stop{};
}

}  // namespace hawser::check
