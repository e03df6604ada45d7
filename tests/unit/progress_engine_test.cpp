// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/engine.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "framework/base/clock.hpp"

namespace hawser::progress {
namespace {

// Nothing but a wake-up ends these waits: a lost one is a hang, which the test runner reports.
constexpr WaitParams kBlockAtOnce{
    .spin_ns = 0, .yield_ns = 0, .longest_block_ms = -1, .longest_sleep_ns = kForever};
constexpr WaitParams kSpinABit{
    .spin_ns = 20'000, .yield_ns = 20'000, .longest_block_ms = -1, .longest_sleep_ns = kForever};

class FakeComponent : public btl::Component {
 public:
  Errc open(btl::Host&, char*, std::size_t) noexcept override { return Errc::kOk; }
  std::size_t module_count() const noexcept override { return 0; }
  btl::Module& module(std::size_t) noexcept override { std::abort(); }
  void add_procs(std::uint32_t, btl::Reach&) noexcept override {}
  void release_peer(std::uint32_t) noexcept override {}
  int progress() noexcept override {
    ++polls;
    return 0;
  }
  bool arm() noexcept override {
    ++arms;
    return calm;
  }
  void disarm() noexcept override { ++disarms; }
  bool flushed() noexcept override { return true; }
  void close() noexcept override {}

  std::atomic<int> polls{0};
  std::atomic<int> arms{0};
  std::atomic<int> disarms{0};
  std::atomic<bool> calm{true};
};

TEST(Engine, AWaitPollsComponentsAndPollersUntilItIsDone) {
  Engine engine;
  FakeComponent component;
  engine.add_component(component);
  std::atomic<int> polled{0};
  engine.add_poller(
      {[](void* count) noexcept { return ++*static_cast<std::atomic<int>*>(count), 0; }, &polled});
  engine.set_wait({.spin_ns = kForever / 4, .yield_ns = 0});
  engine.wait_until([&] { return component.polls >= 100; });
  EXPECT_GE(polled, 5);  // less often than the components: they are what is near
  EXPECT_EQ(component.arms, 0);
  engine.remove_poller(&polled);
  const int before = polled;
  engine.progress();
  EXPECT_EQ(polled, before);
}

TEST(Engine, ProgressInsideProgressDoesNothing) {
  Engine engine;
  struct Nested {
    Engine& engine;
    int inner = -1;
  } nested{engine};
  engine.add_poller({[](void* self) noexcept {
                       auto* n = static_cast<Nested*>(self);
                       n->inner = n->engine.progress();
                       return 1;
                     },
                     &nested});
  EXPECT_EQ(engine.progress(), 1);
  EXPECT_EQ(nested.inner, 0);
}

TEST(Engine, EveryArmIsFollowedByADisarmAndARefusalDoesNotBlock) {
  Engine engine;
  FakeComponent busy;
  FakeComponent calm;
  busy.calm = false;
  engine.add_component(busy);
  engine.add_component(calm);
  engine.set_wait(kBlockAtOnce);
  engine.wait_until([&] { return busy.arms >= 10 && calm.disarms >= 10; });
  EXPECT_EQ(busy.arms, busy.disarms);
  EXPECT_EQ(calm.arms, calm.disarms);
}

TEST(Engine, WhatIsDoneIsNotAskedAgain) {
  for (int looks = 1; looks <= 60; ++looks) {  // it becomes true at each of the places where it is asked
    Engine engine;
    FakeComponent component;
    engine.add_component(component);
    engine.set_wait({.spin_ns = 0, .yield_ns = 0, .longest_block_ms = 1});
    int calls = 0;
    engine.wait_until([&] { return ++calls >= looks; });
    EXPECT_EQ(calls, looks);
    engine.clear_components();
  }
}

TEST(Engine, AnIdleEventLoopIsAskedSeldomAndAnActiveOneEveryPass) {
  Engine engine;
  Fd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  int calls = 0;
  engine.loop().watch(
      fd.get(), EPOLLIN, [](void* c, std::uint32_t) noexcept { ++*static_cast<int*>(c); }, &calls);
  const std::uint64_t one = 1;
  ASSERT_EQ(::write(fd.get(), &one, sizeof one), 8);
  while (calls == 0) engine.progress();  // found, however quiet it was before
  for (int i = 0; i < 100; ++i) engine.progress();
  EXPECT_EQ(calls, 101);
}

TEST(Engine, WaitsThatEndAtOnceStarveNobody) {
  Engine engine;
  FakeComponent component;
  engine.add_component(component);
  Fd fd(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  int calls = 0;
  engine.loop().watch(
      fd.get(), EPOLLIN, [](void* c, std::uint32_t) noexcept { ++*static_cast<int*>(c); }, &calls);
  int polled = 0;
  engine.add_poller({[](void* count) noexcept { return ++*static_cast<int*>(count), 0; }, &polled});
  for (int wait = 0; wait < 10'000; ++wait) {  // what each waits for comes with the first look
    const int before = component.polls;
    engine.wait_until([&] { return component.polls > before; });
  }
  EXPECT_GT(calls, 0);
  EXPECT_GT(polled, 10);
  engine.remove_poller(&polled);
  engine.clear_components();
}

TEST(Engine, ABlockedWaitEndsWhenAWatchedDescriptorBecomesReady) {
  Engine engine;
  engine.set_wait(kBlockAtOnce);
  FakeComponent component;
  engine.add_component(component);
  Fd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  bool rung = false;
  engine.loop().watch(
      fd.get(), EPOLLIN, [](void* r, std::uint32_t) noexcept { *static_cast<bool*>(r) = true; }, &rung);
  std::thread bell([&] {
    while (component.arms == 0) std::this_thread::yield();
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(fd.get(), &one, sizeof one), 8);
  });
  engine.wait_until([&] { return rung; });
  bell.join();
  EXPECT_TRUE(rung);
}

TEST(Engine, ABlockedHolderIsWokenByWhatAnotherThreadCompletes) {
  Engine engine;
  engine.set_wait(kBlockAtOnce);
  FakeComponent component;
  engine.add_component(component);
  for (int round = 1; round <= 500; ++round) {
    std::atomic<bool> ready{false};
    std::thread completer([&, arms = component.arms.load()] {
      while (component.arms == arms) std::this_thread::yield();
      ready = true;
      engine.completed();
    });
    engine.wait_until([&] { return ready.load(); });
    completer.join();
  }
  EXPECT_EQ(component.arms, component.disarms);
}

// A sleeps without the role for something that only polling brings. B holds the role and leaves satisfied: A
// must be woken to poll on.
TEST(Engine, WhoeverLeavesTheRoleSeesToItThatSomebodyPollsOn) {
  for (const WaitParams& wait : {kBlockAtOnce, kSpinABit}) {
    Engine engine;
    engine.set_wait(wait);
    FakeComponent component;
    component.calm = false;  // never blocks in epoll: the holder polls on
    engine.add_component(component);
    for (int round = 0; round < 200; ++round) {
      std::atomic<bool> go{false};
      std::atomic<int> target{INT32_MAX};
      std::vector<std::thread> sleepers;
      for (int i = 0; i < 3; ++i) {
        sleepers.emplace_back([&] { engine.wait_until([&] { return component.polls >= target; }); });
      }
      engine.wait_until([&] { return go || (go = component.polls > 0); });
      target = component.polls + 50;  // announced by nobody: only a new holder gets there
      for (auto& sleeper : sleepers) sleeper.join();
    }
  }
}

// A token goes round among more threads than cores; each hand-over is a completion that exactly one thread
// waits for, with the role held by any of them.
void pass_the_token(const WaitParams& wait, int threads_count, int rounds) {
  Engine engine;
  engine.set_wait(wait);
  FakeComponent component;
  engine.add_component(component);
  std::atomic<int> token{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < threads_count; ++t) {
    threads.emplace_back([&, t] {
      for (int r = 0; r < rounds; ++r) {
        const int mine = r * threads_count + t;
        engine.wait_until([&] { return token.load() == mine; });
        token = mine + 1;
        engine.completed();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(token, threads_count * rounds);
}

TEST(EngineStress, NoWakeUpIsLostWhenBlockingAtOnce) {
  pass_the_token(kBlockAtOnce, 8, 1000);
}
TEST(EngineStress, NoWakeUpIsLostWhenSpinning) {
  pass_the_token(kSpinABit, 3, 1000);
}

TEST(EngineStress, WakeUpsFromThreadsThatDoNotWait) {
  Engine engine;
  engine.set_wait(kBlockAtOnce);
  constexpr int kRounds = 3000;
  std::atomic<int> sent{0};
  std::atomic<int> received{0};
  std::thread sender([&] {
    for (int i = 1; i <= kRounds; ++i) {
      while (received != i - 1) std::this_thread::yield();
      sent = i;
      engine.completed();
    }
  });
  for (int i = 1; i <= kRounds; ++i) {
    engine.wait_until([&] { return sent >= i; });
    received = i;
  }
  sender.join();
}

TEST(Engine, WaitsByDefaultAsTheCoresAllow) {
  EXPECT_GT(default_wait(2, 2).spin_ns, 0u);
  EXPECT_EQ(default_wait(8, 2).spin_ns, 0u);
  EXPECT_LT(default_wait(8, 2).yield_ns, default_wait(2, 2).spin_ns);
}

}  // namespace
}  // namespace hawser::progress
