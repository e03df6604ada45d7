// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The old faults, as they were seen in the field, with the interface of the classes that rule them out. Only
// to show that the tests notice them.

#include <memory>
#include <mutex>
#include <vector>

#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"
#include "framework/base/list.hpp"
#include "framework/base/result.hpp"

namespace hawser::tests {

struct Endpoints {
  std::vector<int> built;
};

/// Publishes the peer first and builds its endpoints after.
class EarlyTable {
 public:
  Endpoints* find(std::uint32_t) {
    std::lock_guard lock(mutex_);
    return peer_.get();
  }
  template <class Build>
  Endpoints* get_or_build(std::uint32_t, Build&& build) {
    {
      std::lock_guard lock(mutex_);
      if (peer_) return peer_.get();
      peer_ = std::make_unique<Endpoints>();
    }
    build(*peer_);
    return peer_.get();
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Endpoints> peer_;
};

/// Looks whether the peer is there, then builds it: nothing keeps a second thread from doing the same.
class CheckThenActTable {
 public:
  template <class Build>
  Endpoints* get_or_build(std::uint32_t, Build&& build) {
    {
      std::lock_guard lock(mutex_);
      if (!peers_.empty()) return peers_.back().get();
    }
    auto made = std::make_unique<Endpoints>();
    build(*made);
    std::lock_guard lock(mutex_);
    peers_.push_back(std::move(made));
    return peers_.back().get();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Endpoints>> peers_;
};

/// Asks under the lock, drops it, then queues.
template <class T>
class TestThenEnqueueGate {
 public:
  enum class Entry { kPass, kParked };

  Entry enter(T& item) {
    {
      std::lock_guard lock(mutex_);
      if (open_) return Entry::kPass;
    }
    HAWSER_HOOK("gate.enter");
    std::lock_guard lock(mutex_);
    queue_.push_back(item);
    return Entry::kParked;
  }
  template <class Pass>
  void drain(Pass&& pass) {
    std::lock_guard lock(mutex_);
    while (T* item = queue_.pop_front()) pass(*item);
    open_ = true;
  }
  std::size_t waiting() {
    std::lock_guard lock(mutex_);
    return queue_.size();
  }
  bool is_open() {
    std::lock_guard lock(mutex_);
    return open_;
  }

 private:
  std::mutex mutex_;
  bool open_ = false;
  Fifo<T> queue_;
};

/// A hook for the length of a scope.
class ScopedHook {
 public:
  ScopedHook(const char* name, hooks::Function function, void* context) : name_(name) {
    hooks::set(name, function, context);
  }
  ~ScopedHook() { hooks::set(name_, nullptr, nullptr); }
  ScopedHook(const ScopedHook&) = delete;
  ScopedHook& operator=(const ScopedHook&) = delete;

 private:
  const char* name_;
};

}  // namespace hawser::tests
