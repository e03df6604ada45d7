// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace hawser::pml {

/// A link of a doubly linked list; unlinks itself in constant time.
struct Link {
  Link* previous = nullptr;
  Link* following = nullptr;

  bool linked() const noexcept { return following != nullptr; }
  void unlink() noexcept {
    previous->following = following;
    following->previous = previous;
    previous = following = nullptr;
  }
};

/// A queue of items found through the member `L` of them.
template <class T, Link T::*L>
class DList {
 public:
  DList() noexcept { head_.previous = head_.following = &head_; }
  DList(const DList&) = delete;
  DList& operator=(const DList&) = delete;

  bool empty() const noexcept { return head_.following == &head_; }
  T* front() noexcept { return empty() ? nullptr : &item(*head_.following); }
  T* pop_front() noexcept {
    T* first = front();
    if (first) (first->*L).unlink();
    return first;
  }
  void push_back(T& item) noexcept {
    Link& link = item.*L;
    link.previous = head_.previous;
    link.following = &head_;
    head_.previous->following = &link;
    head_.previous = &link;
  }
  template <class Visit>
  void for_each(Visit&& visit) {  // `visit` may unlink the item it is given
    for (Link* link = head_.following; link != &head_;) {
      Link* following = link->following;
      visit(item(*link));
      link = following;
    }
  }

 private:
  static T& item(Link& link) noexcept {
    alignas(T) static char somewhere[sizeof(T)];  // only its address is used, to know where L lies in a T
    const auto offset = reinterpret_cast<char*>(&(reinterpret_cast<T*>(somewhere)->*L)) - somewhere;
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(&link) - offset);
  }
  Link head_;
};

}  // namespace hawser::pml
