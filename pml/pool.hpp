// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "framework/base/cpu.hpp"
#include "framework/base/no_destructor.hpp"
#include "framework/base/spin_mutex.hpp"

namespace hawser::pml {

/// Keeps the memory of objects for the next ones: a few of them with the thread that gave them back, which
/// needs no lock, the rest for all. Any thread. One store per type, whose memory the system gets back at the
/// process's end.
template <class T>
class Pool {
 public:
  /// Null: no memory.
  template <class... Args>
  T* make(Args&&... args) noexcept {
    Stock& mine = t_stock;
    if (HAWSER_UNLIKELY(!mine.first)) {
      if (!mine.ends) end_with_thread(mine);  // what it does not use goes back with it
      shared().fill(mine);
    }
    Cell* cell = mine.take();
    void* memory = cell ? cell : ::operator new (sizeof(Cell), std::align_val_t{alignof(Cell)}, std::nothrow);
    return HAWSER_UNLIKELY(!memory) ? nullptr : new (memory) T(static_cast<Args&&>(args)...);
  }
  void destroy(T& object) noexcept {
    object.~T();
    Stock& mine = t_stock;
    if (HAWSER_UNLIKELY(!mine.ends)) end_with_thread(mine);
    mine.put(*new (static_cast<void*>(&object)) Cell);
    if (mine.count == 2 * kShare) shared().take_from(mine);
  }

 private:
  static constexpr unsigned kShare = 64;  // cells that go from the store to a thread, and back, at a time

  union alignas(alignof(T) > kCacheLine ? alignof(T) : kCacheLine) Cell {
    Cell() {}
    Cell* next;
    unsigned char bytes[sizeof(T)];
  };
  struct Stock {
    Cell* first = nullptr;
    unsigned count = 0;
    bool ends = false;  // of a thread: it is given back at its end
    Cell* take() noexcept {
      Cell* cell = first;
      if (!cell) return nullptr;
      first = cell->next;
      --count;
      return cell;
    }
    void put(Cell& cell) noexcept {
      cell.next = first;
      first = &cell;
      ++count;
    }
  };
  class Store {
   public:
    void fill(Stock& thread) noexcept {
      HotLock lock(mutex_);
      while (thread.count < kShare && stock_.first) thread.put(*stock_.take());
    }
    void take_from(Stock& thread, unsigned rest = kShare) noexcept {
      HotLock lock(mutex_);
      while (thread.count > rest) stock_.put(*thread.take());
    }

   private:
    HotMutex<LockRank::kPool, true>
        mutex_;  // a thread may end while another, its turn being over, makes calls
    Stock stock_ HAWSER_GUARDED_BY(mutex_);
  };
  static Store& shared() noexcept {
    static NoDestructor<Store> store;  // threads may end after everything else
    return *store;
  }
  static void end_with_thread(Stock& mine) noexcept {
    struct End {
      ~End() { shared().take_from(t_stock, 0); }
      void touch() noexcept {}
    };
    thread_local End end;
    end.touch();
    mine.ends = true;
  }

  [[gnu::tls_model("initial-exec")]] static constinit inline thread_local Stock t_stock{};
};

}  // namespace hawser::pml
