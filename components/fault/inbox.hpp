// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "framework/btl/message.hpp"

namespace hawser::fault {

class Component;

/// Messages of one peer and rail that are written to their places piece by piece. Progress role.
class Inbox {
 public:
  explicit Inbox(Component& component) : component_(component) {}

  bool empty() const noexcept { return letters_.empty(); }
  /// Keeps a copy behind those that are there.
  void put(const btl::Handler& handler, const btl::Message& message);
  /// Writes one piece at most, and hands up what is complete. How much it moved.
  int step() noexcept;
  /// Writes and hands up all.
  void finish() noexcept;
  /// The connection broke: what is half written is given up, and the rest was never there.
  void drop() noexcept;

 private:
  struct Letter {
    const btl::Handler* handler;
    btl::Message message;
    alignas(8) std::array<unsigned char, btl::kMaxHeader> header;
    std::vector<unsigned char> data;
    btl::Placement place{};
    bool begun = false;
    bool placing = false;
    std::size_t written = 0;
  };
  void begin(Letter& letter) noexcept;
  bool write_piece(Letter& letter, std::size_t most) noexcept;
  void hand_up() noexcept;

  Component& component_;
  std::deque<Letter> letters_;
};

}  // namespace hawser::fault
