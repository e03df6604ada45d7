// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/fault/inbox.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "components/fault/component.hpp"
#include "components/fault/params.hpp"

namespace hawser::fault {

void Inbox::put(const btl::Handler& handler, const btl::Message& message) {
  Letter& letter = letters_.emplace_back();
  letter.handler = &handler;
  letter.message = message;
  if (message.header_size != 0) std::memcpy(letter.header.data(), message.header, message.header_size);
  const auto* bytes = static_cast<const unsigned char*>(message.data);
  letter.data.assign(bytes, bytes + message.size);
  letter.message.header = letter.header.data();
  letter.message.data = letter.data.data();
}

void Inbox::begin(Letter& letter) noexcept {
  letter.begun = true;
  const btl::Handler& handler = *letter.handler;
  btl::Message head = letter.message;
  head.data = nullptr;
  letter.placing = handler.place && handler.place(handler.context, head, letter.place);
}

/// True once all of it is written.
bool Inbox::write_piece(Letter& letter, std::size_t most) noexcept {
  const std::size_t piece = std::min(most, letter.data.size() - letter.written);
  if (piece != 0) {
    std::memcpy(static_cast<unsigned char*>(letter.place.memory) + letter.written,
                letter.data.data() + letter.written, piece);
    component_.count_piece(letter.message);
  }
  letter.written += piece;
  return letter.written == letter.data.size();
}

void Inbox::hand_up() noexcept {
  const Letter letter = std::move(letters_.front());
  letters_.pop_front();
  btl::Message message = letter.message;
  message.header = letter.header.data();
  message.data = letter.placing ? letter.place.memory : letter.data.data();
  message.placed = letter.placing ? letter.place.cookie : nullptr;
  component_.hand_up(*letter.handler, message);
}

int Inbox::step() noexcept {
  int moved = 0;
  bool wrote = false;
  while (!letters_.empty() && !wrote) {
    Letter& letter = letters_.front();
    if (!letter.begun) begin(letter);
    ++moved;
    wrote = letter.placing;
    if (letter.placing && !write_piece(letter, g_params.short_read)) break;
    hand_up();
  }
  return moved;
}

void Inbox::finish() noexcept {
  while (!letters_.empty()) {
    Letter& letter = letters_.front();
    if (!letter.begun) begin(letter);
    if (letter.placing) write_piece(letter, letter.data.size());
    hand_up();
  }
}

void Inbox::drop() noexcept {
  std::deque<Letter> letters = std::exchange(letters_, {});
  for (const Letter& letter : letters) {
    if (!letter.placing || !letter.handler->abandon) continue;
    btl::Message head = letter.message;
    head.header = letter.header.data();
    head.data = nullptr;
    head.placed = letter.place.cookie;
    letter.handler->abandon(letter.handler->context, head);
  }
}

}  // namespace hawser::fault
