// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

namespace hawser {

/// A static object that is never destroyed, for what others may use until the process ends; it takes no
/// memory of the heap for itself. Use:  static NoDestructor<T> instance;  return *instance;
template <class T>
class NoDestructor {
 public:
  NoDestructor() { ::new (static_cast<void*>(memory_)) T(); }
  NoDestructor(const NoDestructor&) = delete;
  NoDestructor& operator=(const NoDestructor&) = delete;
  /// The object. Any thread.
  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(memory_)); }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
};

}  // namespace hawser
