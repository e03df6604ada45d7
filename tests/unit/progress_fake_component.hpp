// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "framework/progress/engine.hpp"

namespace hawser::progress {

// Nothing but a wake-up ends these sleeps.
inline constexpr WaitParams kBlockAtOnce{
    .spin_ns = 0, .yield_ns = 0, .longest_block_ms = -1, .longest_sleep_ns = kForever};

/// A transport in one descriptor: `ring` makes it ready, polling takes it; like a ring in shared memory it is
/// announced only to who has armed.
class FakeComponent : public btl::Component {
 public:
  explicit FakeComponent(Engine& engine) : engine_(engine), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    engine.loop().watch(
        bell_.get(), EPOLLIN,
        [](void* self, std::uint32_t) noexcept {
          std::uint64_t count;
          EXPECT_EQ(::read(static_cast<FakeComponent*>(self)->bell_.get(), &count, sizeof count), 8);
        },
        this);
    engine.add_component(*this);
  }
  ~FakeComponent() { engine_.clear_components(); }

  /// From any thread: something has come.
  void ring() {
    sent_.fetch_add(1, std::memory_order_seq_cst);
    if (armed_.load(std::memory_order_seq_cst) == 0) return;
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(bell_.get(), &one, sizeof one), 8);
  }
  int served() const { return served_.load(std::memory_order_acquire); }
  int armed() const { return armed_.load(); }

  Errc open(btl::Host&, char*, std::size_t) noexcept override { return Errc::kOk; }
  std::size_t module_count() const noexcept override { return 0; }
  btl::Module& module(std::size_t) noexcept override { std::abort(); }
  void add_procs(std::uint32_t, btl::Reach&) noexcept override {}
  void release_peer(std::uint32_t) noexcept override {}
  int progress() noexcept override {
    const int moved = sent_.load(std::memory_order_acquire) - served_.load(std::memory_order_relaxed);
    if (moved == 0) return 0;
    last_server = std::this_thread::get_id();
    served_.fetch_add(moved, std::memory_order_release);
    engine_.completed();
    return moved;
  }
  bool arm() noexcept override {
    EXPECT_EQ(armed_.exchange(1, std::memory_order_seq_cst), 0) << "armed twice";
    return sent_.load(std::memory_order_seq_cst) == served_.load(std::memory_order_relaxed);
  }
  void disarm() noexcept override { EXPECT_EQ(armed_.exchange(0), 1) << "disarmed twice"; }
  bool flushed() noexcept override { return true; }
  void close() noexcept override {}

  std::atomic<std::thread::id> last_server{};

 private:
  Engine& engine_;
  Fd bell_;
  std::atomic<int> sent_{0};
  std::atomic<int> served_{0};
  std::atomic<int> armed_{0};
};

}  // namespace hawser::progress
