// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/check/board.hpp"

#include <sys/mman.h>

#include <new>

namespace hawser::check {

Board& make_board() {
  void* memory = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return *static_cast<Board*>(memory);
}

void free_board(Board& board) noexcept {
  ::munmap(&board, sizeof(Board));
}

}  // namespace hawser::check
