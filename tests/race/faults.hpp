// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The old faults, as they were seen in the field, with the interface of the classes that rule them out. Only
// to show that the tests notice them.

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
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

 protected:
  void drain_none() {
    std::lock_guard lock(mutex_);
    open_ = true;
  }
  void forget() {
    std::lock_guard lock(mutex_);
    queue_ = {};
  }

 private:
  std::mutex mutex_;
  bool open_ = false;
  Fifo<T> queue_;
};

/// Opening and draining are two steps, and whoever opens may forget the second.
template <class T>
class OpenWithoutDrainGate : public TestThenEnqueueGate<T> {
 public:
  void open() { this->drain_none(); }
};

/// Its end is not a drain: what waits is dropped without a word.
template <class T>
class ForgetfulGate : public TestThenEnqueueGate<T> {
 public:
  using FailFunction = void (*)(void*, T&, Errc);
  void shatter(Errc, FailFunction, void*) { this->forget(); }
};

/// One peer whose parked callers look again and again instead of sleeping.
class SpinTable {
 public:
  template <class Build>
  Endpoints* get_or_build(std::uint32_t, Build&& build) {
    if (creating_.exchange(true)) {
      HAWSER_HOOK("peer.parked");
      while (!ready_.load()) {
        HAWSER_HOOK("peer.looked");
        std::this_thread::yield();
      }
      return ready_.load();
    }
    build(peer_);
    ready_ = &peer_;
    return &peer_;
  }

 private:
  std::atomic<bool> creating_{false};
  std::atomic<Endpoints*> ready_{nullptr};
  Endpoints peer_;
};

/// One peer, created by one, with the mistakes at the ends of a creation that a component's own table makes:
/// a failure is told to the creator alone; letting go or replacing looks at what is published, not at what is
/// being made.
class HastyTable {
 public:
  using Made = Result<std::unique_ptr<Endpoints>>;

  Endpoints* find(std::uint32_t) {
    std::lock_guard lock(mutex_);
    return peer_.get();
  }
  template <class Make>
  Result<Endpoints*> get_or_make(std::uint32_t, Deadline deadline, Make&& make) {
    {
      std::unique_lock lock(mutex_);
      if (creating_) {
        HAWSER_HOOK("peer.parked");
        if (!settled_.wait_until(lock, deadline, [&] { return peer_ != nullptr; }))
          return make_error(Errc::kTimedOut, "nobody told me");
      }
      if (peer_) return peer_.get();
      creating_ = true;
    }
    Made made = make();
    if (!made) return made.error();
    std::lock_guard lock(mutex_);
    peer_ = std::move(*made);
    creating_ = false;
    settled_.notify_all();
    return peer_.get();
  }
  std::unique_ptr<Endpoints> take(std::uint32_t) {
    std::lock_guard lock(mutex_);
    return std::move(peer_);
  }
  std::unique_ptr<Endpoints> replace(std::uint32_t, std::unique_ptr<Endpoints> next) {
    std::lock_guard lock(mutex_);
    if (peer_) std::swap(peer_, next);
    return next;
  }

 private:
  std::mutex mutex_;
  std::condition_variable settled_;
  bool creating_ = false;
  std::unique_ptr<Endpoints> peer_;
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
