// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/check/expect.hpp"

#include <cstdio>

namespace hawser::check {

namespace {

Board* g_board = nullptr;
std::string g_who;

}  // namespace

void report_to(Board& board, const std::string& who) {
  g_board = &board;
  g_who = who;
}

void fail(const std::string& text) noexcept {
  const std::uint32_t at = g_board->failures.fetch_add(1);
  if (at < Board::kTexts)
    std::snprintf(g_board->texts[at], Board::kTextSize, "%s: %s", g_who.c_str(), text.c_str());
}

void note_move() noexcept {
  g_board->moves.fetch_add(1, std::memory_order_relaxed);
}

bool failed() noexcept {
  return g_board->failures.load() != 0;
}

void skip(const std::string& why) {
  std::snprintf(g_board->skipped, Board::kTextSize, "%s", why.c_str());
  throw Stop{};
}

}  // namespace hawser::check
