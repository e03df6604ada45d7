// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/base/mutex.hpp"
#include "framework/base/no_destructor.hpp"
#include "mpi/handles.hpp"

namespace hawser::mpi {

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
    const auto found = object.attributes.find(key);
    if (found == object.attributes.end()) return false;
    value = found->second;
    return true;
  }
  void set(Object& object, int key, void* value) {
    Lock lock(mutex_);
    object.attributes[key] = value;
  }
  /// Takes it off, and calls its delete function, whose error it gives. False in `found`: there was none.
  int remove(Object& object, int key, bool& found) {
    void* value = nullptr;
    {
      Lock lock(mutex_);
      const auto at = object.attributes.find(key);
      found = at != object.attributes.end();
      if (!found) return MPI_SUCCESS;
      value = at->second;
      object.attributes.erase(at);
    }
    return call_remove(object, key, value);
  }

  /// As their copy functions say; the first error of one of these, and then `to` has none.
  int copy_all(Object& from, Object& to) {
    for (const auto& [key, value] : of(from)) {
      const Key entry = entry_of(key);
      if (entry.copy == nullptr) continue;
      void* copied = value;
      int flag = 1;
      if (entry.copy != Kind::kDuplicate) {
        const int error =
            entry.copy(handle_of<typename Kind::Handle>(from), key, entry.extra, value, &copied, &flag);
        if (error != MPI_SUCCESS) {
          remove_all(to);
          return error;
        }
      }
      if (flag) set(to, key, copied);
    }
    return MPI_SUCCESS;
  }
  /// The object goes.
  void remove_all(Object& object) {
    for (const auto& [key, value] : of(object)) static_cast<void>(call_remove(object, key, value));
    Lock lock(mutex_);
    object.attributes.clear();
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
  std::map<int, void*> of(const Object& object) {
    Lock lock(mutex_);
    return object.attributes;
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
