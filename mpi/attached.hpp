// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
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
    const auto found = object.attributes.find(key);
    if (found == object.attributes.end()) return false;
    value = found->second;
    return true;
  }
  void set(Object& object, int key, void* value) {
    Lock lock(mutex_);
    object.attributes[key] = value;
  }
  /// Takes it off, unless its delete function gives an error, which it gives then. False in `found`: there
  /// was none.
  int remove(Object& object, int key, bool& found) {
    std::map<int, void*>::node_type taken;
    {
      Lock lock(mutex_);
      taken = object.attributes.extract(key);
    }
    found = !taken.empty();
    if (!found) return MPI_SUCCESS;
    const int error = call_remove(object, key, taken.mapped());
    if (error != MPI_SUCCESS) {
      Lock lock(mutex_);
      object.attributes.insert(std::move(taken));
    }
    return error;
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
          drop_all(to);
          return error;
        }
      }
      if (flag) set(to, key, copied);
    }
    return MPI_SUCCESS;
  }
  /// Up to the first that does not go, whose error it gives.
  int remove_all(Object& object) {
    bool found = false;
    for (int key = kBeforeAll; next_key(object, key);) {
      if (const int error = remove(object, key, found)) return error;
    }
    return MPI_SUCCESS;
  }
  /// Of an object that goes, whatever its delete functions say.
  void drop_all(Object& object) {
    bool found = false;
    for (int key = kBeforeAll; next_key(object, key);) static_cast<void>(remove(object, key, found));
  }

 private:
  static constexpr int kBeforeAll = Kind::kFirstKey - 1;

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
  /// The key after that one. False: there is none.
  bool next_key(const Object& object, int& key) {
    Lock lock(mutex_);
    const auto next = object.attributes.upper_bound(key);
    if (next == object.attributes.end()) return false;
    key = next->first;
    return true;
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
