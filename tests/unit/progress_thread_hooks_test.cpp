// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The last moment before the progress thread sleeps: what comes then is not missed.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "framework/progress/progress_thread.hpp"
#include "tests/race/faults.hpp"
#include "tests/unit/progress_fake_component.hpp"

namespace hawser::progress {
namespace {

using tests::ScopedHook;

struct Scene {
  Engine engine;
  FakeComponent component{engine};
  ProgressThread thread{engine};
  std::atomic<int> runs{0};
  std::atomic<int> wanted{0};  // by the poller
  std::atomic<int> polled{0};
  std::atomic<bool> over{false};

  Scene() {
    engine.set_wait(kBlockAtOnce);
    engine.add_poller({[](void* self) noexcept {
                         auto* scene = static_cast<Scene*>(self);
                         const int moved = scene->wanted - scene->polled;
                         scene->polled += moved;
                         return moved;
                       },
                       this});
  }
  void start() { ASSERT_TRUE(thread.start()); }
  ~Scene() { EXPECT_TRUE(thread.stop(Clock::now() + std::chrono::seconds(100))); }
};

TEST(ProgressThreadRace, AMessageJustBeforeItWatchesIsServed) {
  Scene scene;
  ScopedHook hook(
      "engine.before_watch",
      [](void* self) {
        auto* s = static_cast<Scene*>(self);
        if (s->runs++ < 10) std::thread([s] { s->component.ring(); }).join();
      },
      &scene);
  scene.start();
  while (scene.component.served() < 10) std::this_thread::yield();
}

TEST(ProgressThreadRace, AWakeUpJustBeforeItWatchesIsSeen) {
  Scene scene;
  ScopedHook hook(
      "engine.before_watch",
      [](void* self) {
        auto* s = static_cast<Scene*>(self);
        if (s->runs++ >= 10) return;
        std::thread([s] {
          ++s->wanted;
          s->engine.wake();
        }).join();
      },
      &scene);
  scene.start();
  while (scene.polled < 10) std::this_thread::yield();
}

// A thread of the program holds the role and leaves it just as the attendant decides to stand by: then it
// must not sleep, since nobody polls any more.
TEST(ProgressThreadRace, TheRoleThatIsLeftJustBeforeItStandsByIsTaken) {
  Scene scene;
  ScopedHook hook(
      "engine.before_stand_by",
      [](void* self) {
        auto* s = static_cast<Scene*>(self);
        if (s->runs++ != 0) return;
        s->over = true;
        s->engine.completed();
        while (s->engine.role().taken()) std::this_thread::yield();
      },
      &scene);
  std::thread waiting([&] { scene.engine.wait_until([&] { return scene.over.load(); }); });
  while (!scene.engine.role().taken()) std::this_thread::yield();
  scene.start();
  waiting.join();
  EXPECT_EQ(scene.runs, 1);
  scene.component.ring();
  while (scene.component.served() < 1) std::this_thread::yield();
}

}  // namespace
}  // namespace hawser::progress
