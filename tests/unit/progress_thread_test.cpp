// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// An engine with a progress thread: it serves alone, gives way, and ends. Nothing but a wake-up ends the
// sleeps here, so a lost one is a hang, which the test runner reports.
#include "framework/progress/progress_thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/unit/progress_fake_component.hpp"

namespace hawser::progress {
namespace {

using namespace std::chrono_literals;

constexpr WaitParams kSpinABit{
    .spin_ns = 20'000, .yield_ns = 20'000, .longest_block_ms = -1, .longest_sleep_ns = kForever};

Deadline soon() {
  return Clock::now() + 100s;
}

class ProgressThreadTest : public ::testing::TestWithParam<WaitParams> {
 protected:
  ProgressThreadTest() { engine.set_wait(GetParam()); }
  void start() {
    auto started = thread.start();
    ASSERT_TRUE(started) << started.error().text;
  }
  void stop() { ASSERT_TRUE(thread.stop(soon())); }
  /// Without a call to the engine: what a program does that computes.
  void compute_until(int served) {
    while (component.served() < served) std::this_thread::yield();
  }
  void until_it_watches(std::uint64_t more_than = 0) {
    while (engine.watches() <= more_than) std::this_thread::yield();
  }

  Engine engine;
  FakeComponent component{engine};
  ProgressThread thread{engine};
};

TEST_P(ProgressThreadTest, ServesWhileTheProgramComputes) {
  start();
  for (int i = 1; i <= 500; ++i) {
    component.ring();
    compute_until(i);
  }
  EXPECT_NE(component.last_server.load(), std::this_thread::get_id());
  stop();
}

TEST_P(ProgressThreadTest, ServesAgainOnceTheProgramHasStoppedCalling) {
  start();
  int rung = 0;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 10; ++i) {
      component.ring();
      ++rung;
      engine.wait_until([&] { return component.served() >= rung; });
    }
    component.ring();
    compute_until(++rung);
  }
  stop();
}

// The thread sleeps without the role: a program that calls gets it with nobody's help.
TEST_P(ProgressThreadTest, TheRoleIsFreeWhileItSleeps) {
  start();
  until_it_watches();
  component.ring();  // either serves
  engine.wait_until([&] { return component.served() == 1; });
  stop();
  EXPECT_FALSE(engine.role().taken());
}

// What the program's thread gets ready outside the role must not wait for its next call.
TEST_P(ProgressThreadTest, AWakeUpMakesItPoll) {
  std::atomic<int> wanted{0};
  std::atomic<int> polled{0};
  struct Work {
    std::atomic<int>& wanted;
    std::atomic<int>& polled;
  } work{wanted, polled};
  start();
  until_it_watches();
  engine.add_poller({[](void* context) noexcept {  // while it runs: the poller is there from the next pass on
                       auto& [asked, done] = *static_cast<Work*>(context);
                       const int moved = asked - done;
                       done += moved;
                       return moved;
                     },
                     &work});
  for (int i = 1; i <= 500; ++i) {
    wanted = i;
    engine.wake();
    while (polled < i) std::this_thread::yield();
  }
  engine.remove_poller(&work);
  stop();
}

TEST_P(ProgressThreadTest, ATimerRunsWhileItWatches) {
  start();
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> ran{false};
    engine.loop().call_at(
        now_ns() + 100'000, [](void* flag) noexcept { *static_cast<std::atomic<bool>*>(flag) = true; }, &ran);
    while (!ran) std::this_thread::yield();
  }
  stop();
}

TEST_P(ProgressThreadTest, StartsAndStopsAThousandTimes) {
  int rung = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t watches = engine.watches();
    start();
    if (i % 3 == 0) until_it_watches(watches);
    if (i % 2 == 0) {
      component.ring();
      compute_until(++rung);
    }
    stop();
    if (i % 5 == 0) {  // the engine is the caller's again
      component.ring();
      ++rung;
      engine.wait_until([&] { return component.served() == rung; });
    }
  }
  engine.progress();
  EXPECT_EQ(component.armed(), 0);
  EXPECT_TRUE(thread.stop(soon())) << "a second stop has nothing to do";
}

TEST_P(ProgressThreadTest, StopsWhileItStandsByForABlockedThread) {
  start();
  std::atomic<bool> over{false};
  std::thread waiting([&] { engine.wait_until([&] { return over.load(); }); });
  while (!engine.role().taken()) std::this_thread::yield();
  stop();
  over = true;
  engine.completed();
  waiting.join();
}

TEST_P(ProgressThreadTest, AStopThatComesTooEarlyMayBeRepeated) {
  struct Stuck {
    std::atomic<bool> inside{false};
    std::atomic<bool> go{false};
  } stuck;
  engine.add_poller({[](void* context) noexcept {
                       auto* s = static_cast<Stuck*>(context);
                       s->inside = true;
                       while (!s->go) std::this_thread::yield();
                       return 0;
                     },
                     &stuck});
  start();
  while (!stuck.inside) std::this_thread::yield();
  EXPECT_FALSE(thread.stop(Clock::now()));
  stuck.go = true;
  stop();
}

// Several threads of the program and the thread of the engine, each message for one of them.
TEST_P(ProgressThreadTest, ManyThreadsWaitAndNoneIsForgotten) {
  constexpr int kThreads = 4, kRounds = 500;
  start();
  std::atomic<int> token{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int r = 0; r < kRounds; ++r) {
        const int mine = r * kThreads + t;
        engine.wait_until([&] { return token == mine; });
        component.ring();
        // In turns by waiting and by computing.
        if (r % 2 == 0) engine.wait_until([&] { return component.served() > mine; });
        while (component.served() <= mine) std::this_thread::yield();
        token = mine + 1;
        engine.completed();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  stop();
  EXPECT_EQ(component.served(), kThreads * kRounds);
}

INSTANTIATE_TEST_SUITE_P(Waiting, ProgressThreadTest, ::testing::Values(kBlockAtOnce, kSpinABit),
                         [](const auto& info) { return info.param.spin_ns == 0 ? "block" : "spin"; });

std::atomic<pthread_t> g_handled_in{};

TEST(ProgressThread, TakesNoSignals) {
  Engine engine;
  FakeComponent component(engine);
  ProgressThread thread(engine);
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { g_handled_in = ::pthread_self(); };
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  ASSERT_TRUE(thread.start());
  for (int i = 0; i < 20; ++i) {
    g_handled_in = pthread_t{};
    ASSERT_EQ(::kill(::getpid(), SIGUSR1), 0);
    while (g_handled_in == pthread_t{}) std::this_thread::yield();
    EXPECT_TRUE(::pthread_equal(g_handled_in, ::pthread_self()));
  }
  EXPECT_TRUE(thread.stop(soon()));
  ::sigaction(SIGUSR1, &before, nullptr);
}

// A child does not inherit the thread, and ends without it; the parent's works on.
TEST(ProgressThread, AForkLeavesTheParentsThreadAlone) {
  Engine engine;
  FakeComponent component(engine);
  ProgressThread thread(engine);
  ASSERT_TRUE(thread.start());
  for (int i = 1; i <= 10; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(7);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    component.ring();
    while (component.served() < i) std::this_thread::yield();
  }
  EXPECT_TRUE(thread.stop(soon()));
}

// A program that gives up: its exit status is its own, whatever the thread is doing.
TEST(ProgressThreadDeathTest, AnExitWithoutAStopIsAnExit) {
  const auto run_and_exit = [](bool in_child) {
    // As in the MPI library, nothing of it is destroyed: after a fork the role may be a thread's that is
    // gone.
    static Engine& engine = *new Engine;
    static FakeComponent& component = *new FakeComponent(engine);
    static ProgressThread* thread = new ProgressThread(engine);
    if (!thread->start()) std::exit(1);
    component.ring();
    if (in_child && ::fork() != 0) {
      int status = 0;
      ::wait(&status);
      std::exit(WEXITSTATUS(status));
    }
    std::exit(3);
  };
  EXPECT_EXIT(run_and_exit(false), ::testing::ExitedWithCode(3), "");
  EXPECT_EXIT(run_and_exit(true), ::testing::ExitedWithCode(3), "");
}

TEST(ProgressThread, SaysWhatIsMissingWhenThereIsNoDescriptor) {
  Engine engine;
  ProgressThread thread(engine);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  auto started = thread.start();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().text.find("ulimit -n"), std::string::npos) << started.error().text;
  EXPECT_TRUE(thread.stop(soon())) << "nothing runs";
}

}  // namespace
}  // namespace hawser::progress
