// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hawser::tests {

/// While it lives, allocations of this thread with `new` fail, from number `first` on (from 0). Link
/// failing_memory.cpp.
class FailingMemory {
 public:
  explicit FailingMemory(int first);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  /// Whether one has failed in this thread's present scope.
  static bool struck();

  /// Allocations of the test itself, which neither fail nor count.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    int left_;
  };
};

}  // namespace hawser::tests
