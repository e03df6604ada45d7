// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace hawser {

/// A queue of items that carry their own link (`T* next`). Moving it away leaves the source empty.
template <class T>
class Fifo {
 public:
  Fifo() = default;
  /// Takes all items.
  Fifo(Fifo&& other) noexcept : head_(other.head_), tail_(other.tail_), size_(other.size_) { other.forget(); }
  /// Takes all items; its own are forgotten.
  Fifo& operator=(Fifo&& other) noexcept {
    if (this == &other) return *this;
    head_ = other.head_;
    tail_ = other.tail_;
    size_ = other.size_;
    other.forget();
    return *this;
  }

  /// Whether there is none.
  bool empty() const noexcept { return head_ == nullptr; }
  /// How many.
  std::size_t size() const noexcept { return size_; }
  /// The next one; null: none.
  T* front() const noexcept { return head_; }

  /// Behind all others.
  void push_back(T& item) noexcept {
    item.next = nullptr;
    (head_ ? tail_->next : head_) = &item;
    tail_ = &item;
    ++size_;
  }
  /// Before all others.
  void push_front(T& item) noexcept {
    item.next = head_;
    head_ = &item;
    if (!tail_ || !item.next) tail_ = &item;
    ++size_;
  }
  /// Takes the next one out; null: none.
  T* pop_front() noexcept {
    T* item = head_;
    if (!item) return nullptr;
    head_ = item->next;
    if (!head_) tail_ = nullptr;
    item->next = nullptr;
    --size_;
    return item;
  }
  /// Puts all of `other` before what is here; `other` is empty after.
  void splice_front(Fifo& other) noexcept {
    if (other.empty()) return;
    other.tail_->next = head_;
    if (!head_) tail_ = other.tail_;
    head_ = other.head_;
    size_ += other.size_;
    other.forget();
  }

 private:
  void forget() noexcept {
    head_ = tail_ = nullptr;
    size_ = 0;
  }
  T* head_ = nullptr;
  T* tail_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hawser
