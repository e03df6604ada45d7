// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <type_traits>

#include "framework/base/spin_mutex.hpp"

namespace hawser::pml {

/// Keeps the memory of objects for the next ones. Any thread. Never gives memory back to the system before it
/// is destroyed.
template <class T>
class Pool {
 public:
  ~Pool() {
    while (Cell* cell = free_) {
      free_ = cell->next;
      ::operator delete (cell, std::align_val_t{alignof(Cell)});
    }
  }
  template <class... Args>
  T* make(Args&&... args) {
    void* memory = take();
    if (!memory) memory = ::operator new (sizeof(Cell), std::align_val_t{alignof(Cell)});
    return new (memory) T(static_cast<Args&&>(args)...);
  }
  void destroy(T& object) noexcept {
    object.~T();
    Cell* cell = new (static_cast<void*>(&object)) Cell;
    HotLock lock(mutex_);
    cell->next = free_;
    free_ = cell;
  }

 private:
  union alignas(T) Cell {
    Cell() {}
    Cell* next;
    unsigned char bytes[sizeof(T)];
  };
  void* take() noexcept {
    HotLock lock(mutex_);
    Cell* cell = free_;
    if (cell) free_ = cell->next;
    return cell;
  }

  HotMutex<LockRank::kPool> mutex_;
  Cell* free_ HAWSER_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace hawser::pml
