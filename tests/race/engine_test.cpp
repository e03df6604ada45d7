// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The last moment before a thread sleeps: what comes then is not missed. Nothing but a wake-up would end
// these waits.
#include "framework/progress/engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/race/faults.hpp"

namespace hawser::tests {
namespace {

constexpr progress::WaitParams kBlockAtOnce{
    .spin_ns = 0, .yield_ns = 0, .longest_block_ms = -1, .longest_sleep_ns = progress::kForever};

// The role is taken here and given back elsewhere, which no analysis follows.
void take_role(progress::Engine& engine) HAWSER_NO_ANALYSIS {
  ASSERT_TRUE(engine.role().try_enter());
}
void give_role_back(progress::Engine& engine) HAWSER_NO_ANALYSIS {
  engine.role().leave();
}

struct Completion {
  progress::Engine engine;
  std::atomic<bool> ready{false};
  std::atomic<int> runs{0};
  // Completes from another thread while the one that is about to sleep stands still.
  static void here(void* self) {
    auto* c = static_cast<Completion*>(self);
    ++c->runs;
    std::thread([c] {
      c->ready = true;
      c->engine.completed();
    }).join();
  }
};

TEST(EngineRace, ACompletionJustBeforeTheHolderBlocksIsSeen) {
  Completion c;
  c.engine.set_wait(kBlockAtOnce);
  ScopedHook hook("engine.before_block", &Completion::here, &c);
  c.engine.wait_until([&] { return c.ready.load(); });
  EXPECT_EQ(c.runs, 1);
}

TEST(EngineRace, ACompletionJustBeforeAThreadWithoutTheRoleSleepsIsSeen) {
  Completion c;
  c.engine.set_wait(kBlockAtOnce);
  ScopedHook hook("engine.before_sleep", &Completion::here, &c);
  take_role(c.engine);  // nobody gives it back: only the completion ends the wait
  std::thread([&] { c.engine.wait_until([&] { return c.ready.load(); }); }).join();
  give_role_back(c.engine);
  EXPECT_EQ(c.runs, 1);
}

// It waits for one completion after the other. The first comes as it is about to sleep, the second once it
// has looked for the last time: then it must be the second that wakes it.
struct OneAfterTheOther {
  progress::Engine engine;
  std::atomic<bool> first{false};
  std::atomic<bool> second{false};
  static void complete(progress::Engine& engine, std::atomic<bool>& what) {
    std::thread([&] {
      what = true;
      engine.completed(&what);
    }).join();
  }
  static void before(void* self) {
    auto* o = static_cast<OneAfterTheOther*>(self);
    if (!o->first) complete(o->engine, o->first);
  }
  static void asleep(void* self) {
    auto* o = static_cast<OneAfterTheOther*>(self);
    complete(o->engine, o->second);
  }
};

TEST(EngineRace, AThreadSleepsForWhatItNeedsNext) {
  OneAfterTheOther o;
  o.engine.set_wait(kBlockAtOnce);
  ScopedHook before("engine.before_sleep", &OneAfterTheOther::before, &o);
  ScopedHook asleep("engine.asleep", &OneAfterTheOther::asleep, &o);
  take_role(o.engine);
  std::thread([&] {
    const void* awaited = &o.first;
    o.engine.wait_until(
        [&] {
          if (o.first) awaited = &o.second;
          return o.first && o.second;
        },
        &awaited);
  }).join();
  give_role_back(o.engine);
  EXPECT_TRUE(o.second);
}

struct Leaving {
  progress::Engine engine;
  std::atomic<int> runs{0};
  // The holder leaves, finds nobody asleep, and polls no more.
  static void here(void* self) {
    auto* l = static_cast<Leaving*>(self);
    if (l->runs++ == 0) give_role_back(l->engine);
  }
};

TEST(EngineRace, TheRoleThatIsGivenBackJustBeforeASleepIsTaken) {
  Leaving l;
  l.engine.set_wait(kBlockAtOnce);
  std::atomic<int> polls{0};
  l.engine.add_poller(
      {[](void* count) noexcept { return ++*static_cast<std::atomic<int>*>(count); }, &polls});
  ScopedHook hook("engine.before_sleep", &Leaving::here, &l);
  take_role(l.engine);
  std::thread([&] { l.engine.wait_until([&] { return polls >= 3; }); }).join();
  EXPECT_EQ(l.runs, 1);
}

}  // namespace
}  // namespace hawser::tests
