// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace hawser::mpi {

/// What a program attached to an object under a key.
struct Attribute {
  int key;
  void* value;
};
/// Of one object, in the order in which they were set; few, so they are searched.
using Attributes = std::vector<Attribute>;

}  // namespace hawser::mpi
