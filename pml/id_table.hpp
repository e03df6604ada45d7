// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "framework/base/spin_mutex.hpp"

namespace hawser::pml {

/// Names objects on the wire: an id is an index and a generation, so that one that is out of date, or made
/// up, finds nothing. Any thread.
template <class T>
class IdTable {
 public:
  /// 0: no memory.
  std::uint64_t add(T& object) noexcept {
    HotLock lock(mutex_);
    if (free_.empty() && !grow()) return 0;
    const std::uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].object = &object;
    return static_cast<std::uint64_t>(slots_[index].generation) << 32 | index;
  }
  /// The object, or null.
  T* find(std::uint64_t id) noexcept {
    HotLock lock(mutex_);
    Slot* slot = slot_of(id);
    return slot ? slot->object : nullptr;
  }
  /// The object, which the id no longer names; or null. Exactly one caller gets it.
  T* take(std::uint64_t id) noexcept {
    return take_if(id, [](T&) { return true; });
  }
  /// The same, but only if `test(T&)` is true.
  template <class Test>
  T* take_if(std::uint64_t id, Test&& test) noexcept {
    HotLock lock(mutex_);
    Slot* slot = slot_of(id);
    if (!slot || !test(*slot->object)) return nullptr;
    return empty_slot(static_cast<std::uint32_t>(id));
  }
  /// Takes the first object from index `from` on for which `test(T&)` is true; `from` is then behind it.
  /// Null: there is none.
  template <class Test>
  T* take_next(std::uint32_t& from, Test&& test) noexcept {
    HotLock lock(mutex_);
    for (; from < slots_.size(); ++from) {
      if (slots_[from].object && test(*slots_[from].object)) return empty_slot(from++);
    }
    return nullptr;
  }

 private:
  struct Slot {
    T* object;
    std::uint32_t generation;
  };
  /// False: no memory.
  bool grow() noexcept HAWSER_REQUIRES(mutex_) try {
    slots_.push_back({nullptr, 1});
    free_.reserve(slots_.capacity());  // so that `take` allocates nothing
    free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
    return true;
  } catch (const std::bad_alloc&) {
    if (free_.capacity() < slots_.size()) slots_.pop_back();
    return false;
  }
  T* empty_slot(std::uint32_t index) noexcept HAWSER_REQUIRES(mutex_) {
    Slot& slot = slots_[index];
    ++slot.generation;
    free_.push_back(index);
    return std::exchange(slot.object, nullptr);
  }
  Slot* slot_of(std::uint64_t id) noexcept HAWSER_REQUIRES(mutex_) {
    const std::uint32_t index = static_cast<std::uint32_t>(id);
    if (index >= slots_.size()) return nullptr;
    Slot& slot = slots_[index];
    return slot.object && slot.generation == static_cast<std::uint32_t>(id >> 32) ? &slot : nullptr;
  }

  HotMutex<LockRank::kRendezvous> mutex_;
  std::vector<Slot> slots_ HAWSER_GUARDED_BY(mutex_);
  std::vector<std::uint32_t> free_ HAWSER_GUARDED_BY(mutex_);
};

}  // namespace hawser::pml
