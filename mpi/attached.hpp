// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "framework/base/mutex.hpp"
#include "framework/base/no_destructor.hpp"
#include "mpi/handles.hpp"

namespace hawser::mpi {

// Errors of the program's functions, for people.
inline constexpr const char* kNotCopied = "an attribute's copy function failed";
inline constexpr const char* kNotDeleted = "an attribute's delete function failed";

/// What programs attach to objects of one kind, under keys. `Kind` names the types and the first key.
/// Functions of the program run without the lock. Any thread.
template <class Kind>
class Attached {
 public:
  using Object = typename Kind::Object;
  using Copy = typename Kind::Copy;
  using Remove = typename Kind::Remove;

  static Attached& all() {
    static NoDestructor<Attached> instance;
    return *instance;
  }

  int create(Copy* copy, Remove* remove, void* extra) {
    Lock lock(mutex_);
    keys_.push_back({copy, remove, extra});
    return Kind::kFirstKey + static_cast<int>(keys_.size()) - 1;
  }
  /// No new use; attributes that are there stay. False: no such key.
  bool free_key(int key) {
    Lock lock(mutex_);
    Key* found = find(key);
    if (found) found->freed = true;
    return found;
  }
  bool usable(int key) {
    Lock lock(mutex_);
    const Key* found = find(key);
    return found && !found->freed;
  }

  bool get(const Object& object, int key, void*& value) {
    Lock lock(mutex_);
    const auto found = find_in(object.attributes, key);
    if (found == object.attributes.end()) return false;
    value = found->value;
    return true;
  }
  /// Where nothing is attached under that key.
  void set(Object& object, int key, void* value) {
    Lock lock(mutex_);
    object.attributes.push_back({key, value});
  }
  /// Takes it off, unless its delete function gives an error, which it gives then. False in `found`: there
  /// was none.
  int remove(Object& object, int key, bool& found) {
    void* value = nullptr;
    found = get(object, key, value);
    if (!found) return MPI_SUCCESS;
    const int error = call_remove(object, key, value);
    if (error == MPI_SUCCESS) erase(object, key);
    return error;
  }

  /// As their copy functions say; the first error of one of these, and then `to` has none.
  int copy_all(Object& from, Object& to) {
    for (const auto [key, value] : of(from)) {
      const Key entry = entry_of(key);
      if (entry.copy == nullptr) continue;
      void* copied = value;
      int flag = 1;
      if (entry.copy != Kind::kDuplicate) {
        const int error =
            entry.copy(handle_of<typename Kind::Handle>(from), key, entry.extra, value, &copied, &flag);
        if (error != MPI_SUCCESS) {
          drop_all(to);
          return error;
        }
      }
      if (flag) set(to, key, copied);
    }
    return MPI_SUCCESS;
  }
  /// The last one first, up to one that does not go, whose error it gives.
  int remove_all(Object& object) {
    bool found = false;
    for (Attribute last{}; get_last(object, last);) {
      if (const int error = remove(object, last.key, found)) return error;
    }
    return MPI_SUCCESS;
  }
  /// Of an object that goes, whatever its delete functions say.
  void drop_all(Object& object) {
    for (Attribute last{}; get_last(object, last); erase(object, last.key))
      static_cast<void>(call_remove(object, last.key, last.value));
  }

 private:
  struct Key {
    Copy* copy;      // null: is not copied
    Remove* remove;  // null: nothing to do
    void* extra;
    bool freed = false;
  };

  Key* find(int key) HAWSER_REQUIRES(mutex_) {
    const auto index = static_cast<std::size_t>(key - Kind::kFirstKey);
    return key < Kind::kFirstKey || index >= keys_.size() ? nullptr : &keys_[index];
  }
  Key entry_of(int key) {
    Lock lock(mutex_);
    return *find(key);
  }
  Attributes of(const Object& object) {
    Lock lock(mutex_);
    return object.attributes;
  }
  static auto find_in(auto& attributes, int key) {
    return std::find_if(attributes.begin(), attributes.end(),
                        [key](const Attribute& a) { return a.key == key; });
  }
  /// False: there is none.
  bool get_last(const Object& object, Attribute& last) {
    Lock lock(mutex_);
    if (object.attributes.empty()) return false;
    last = object.attributes.back();
    return true;
  }
  void erase(Object& object, int key) {
    Lock lock(mutex_);
    const auto found = find_in(object.attributes, key);
    if (found != object.attributes.end()) object.attributes.erase(found);
  }
  int call_remove(Object& object, int key, void* value) {
    const Key entry = entry_of(key);
    if (entry.remove == nullptr) return MPI_SUCCESS;
    return entry.remove(handle_of<typename Kind::Handle>(object), key, value, entry.extra);
  }

  Mutex<LockRank::kMpi> mutex_;
  std::vector<Key> keys_ HAWSER_GUARDED_BY(mutex_);
};

}  // namespace hawser::mpi
