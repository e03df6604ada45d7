// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bml/guard.hpp"

namespace hawser::bml {

/// A small message that the guard keeps as a copy. Pooled; keeps its memory. Any thread.
struct Copy {
  Kept kept;
  Copy* next = nullptr;
  iovec data{};
  char* bytes = nullptr;
  std::size_t room = 0;

  /// Ready to be kept. Null: out of memory.
  static Copy* take(btl::Head head, const iovec* parts, std::size_t count, std::size_t size) noexcept;
  /// Of what is not a copy, nothing is done: it is its transfer's.
  static void give_back(Kept& kept) noexcept;
};

}  // namespace hawser::bml
