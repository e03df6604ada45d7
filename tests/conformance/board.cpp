// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/board.hpp"

#include <sys/mman.h>

#include <cstdlib>

namespace hawser::conformance {

Board& make_board() {
  void* memory = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return *static_cast<Board*>(memory);
}

}  // namespace hawser::conformance
