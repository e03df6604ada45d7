// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "framework/base/cpu.hpp"
#include "pml/dlist.hpp"

namespace hawser::pml {

/// Queues by key (source, tag): finding the first item of a key costs the same however many items and keys
/// there are. Emptied queues stay for the next item of their key until there are many of them. Not
/// thread-safe.
template <class T, Link T::*L>
class KeyTable {
 public:
  using List = DList<T, L>;

  KeyTable() : buckets_(kFirstBuckets, nullptr) {}
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  void push(std::int32_t source, std::int32_t tag, T& item) {
    queue_for(key_of(source, tag)).items.push_back(item);
  }

  T* first(std::int32_t source, std::int32_t tag) noexcept {
    Queue* queue = find(key_of(source, tag));
    return queue ? queue->items.front() : nullptr;
  }

  /// Most steps that a look-up takes.
  std::size_t longest_chain() const noexcept {
    std::size_t longest = 0;
    for (const Queue* q : buckets_) {
      std::size_t steps = 0;
      for (; q; q = q->chain) ++steps;
      longest = std::max(longest, steps);
    }
    return longest;
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (Queue* q : buckets_) {
      for (; q; q = q->chain) q->items.for_each(visit);
    }
  }

 private:
  struct Queue {
    std::uint64_t key = 0;
    Queue* chain = nullptr;
    List items;
  };
  static constexpr std::size_t kFirstBuckets = 16;
  static constexpr std::size_t kFirstBlock = 8;  // queues
  static constexpr std::size_t kLargestBlock = 512;

  static std::uint64_t key_of(std::int32_t source, std::int32_t tag) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 |
           static_cast<std::uint32_t>(tag);
  }
  /// Fibonacci hashing, but eight tags in a row have buckets in one line: programs often count tags up.
  std::size_t slot(std::uint64_t key) const noexcept {
    return (((key >> 3) * 0x9e3779b97f4a7c15ull >> 32) ^ (key & 7)) & (buckets_.size() - 1);
  }

  Queue* find(std::uint64_t key) noexcept {
    if (HAWSER_LIKELY(last_ && last_->key == key)) return last_;
    for (Queue* q = buckets_[slot(key)]; q; q = q->chain) {
      if (q->key == key) return last_ = q;
    }
    return nullptr;
  }
  Queue& queue_for(std::uint64_t key) {
    if (Queue* q = find(key)) return *q;
    return add(key);
  }
  Queue& add(std::uint64_t key) {
    Queue** bucket = &buckets_[slot(key)];
    if (queues_ >= buckets_.size()) {
      make_room();
      bucket = &buckets_[slot(key)];
    }
    if (!free_) add_block();
    Queue* q = free_;
    free_ = q->chain;
    q->key = key;
    q->chain = *bucket;
    *bucket = q;
    ++queues_;
    return *q;
  }

  /// Queues that are made one after the other lie so in memory.
  void add_block() {
    const std::size_t count = std::clamp(queues_, kFirstBlock, kLargestBlock);
    blocks_.push_back(std::make_unique<Queue[]>(count));
    for (std::size_t i = count; i-- > 0;) {
      Queue& q = blocks_.back()[i];
      q.chain = free_;
      free_ = &q;
    }
  }

  /// Drops the empty queues; if that is less than half of them, doubles the buckets.
  void make_room() {
    const bool few = used() * 2 > queues_;
    last_ = nullptr;
    for (Queue*& bucket : buckets_) drop_empty(bucket);
    if (few) grow();
  }
  void drop_empty(Queue*& bucket) noexcept {
    for (Queue** at = &bucket; Queue* q = *at;) {
      if (!q->items.empty()) {
        at = &q->chain;
        continue;
      }
      *at = q->chain;
      q->chain = free_;
      free_ = q;
      --queues_;
    }
  }
  void grow() {
    std::vector<Queue*> old(buckets_.size() * 2, nullptr);
    old.swap(buckets_);
    for (Queue* q : old) {
      while (q) {
        Queue* following = q->chain;
        Queue*& bucket = buckets_[slot(q->key)];
        q->chain = bucket;
        bucket = q;
        q = following;
      }
    }
  }
  std::size_t used() const noexcept {
    std::size_t count = 0;
    for (const Queue* q : buckets_) {
      for (; q; q = q->chain) count += q->items.empty() ? 0 : 1;
    }
    return count;
  }

  std::vector<Queue*> buckets_;  // a power of two of them
  std::vector<std::unique_ptr<Queue[]>> blocks_;
  Queue* last_ = nullptr;  // that was looked for: mostly the next one too
  Queue* free_ = nullptr;
  std::size_t queues_ = 0;
};

}  // namespace hawser::pml
