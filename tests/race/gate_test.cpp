// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/peers/gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/race/faults.hpp"

namespace hawser::tests {
namespace {

struct Item {
  Item* next = nullptr;
  int id = 0;
};
using Gate = peers::Gate<Item, LockRank::kBmlPeer>;
using Fault = TestThenEnqueueGate<Item>;

struct Stop {
  std::atomic<bool> reached{false};
  std::atomic<bool> go_on{false};
  static void here(void* self) {
    auto* stop = static_cast<Stop*>(self);
    stop->reached = true;
    while (!stop->go_on) std::this_thread::yield();
  }
};

struct Seen {
  std::vector<int> passed;
  std::vector<int> failed;
  auto pass() {
    return [this](Item& item) {
      passed.push_back(item.id);
      return true;
    };
  }
  static void fail(void* self, Item& item, Errc) { static_cast<Seen*>(self)->failed.push_back(item.id); }
};

std::vector<Item> items(int count) {
  std::vector<Item> made(count);
  for (int i = 0; i < count; ++i) made[i].id = i;
  return made;
}

/// The sender is stopped after it saw the gate shut and before it queues; the drain runs and opens; the
/// sender goes on. How many items wait behind an open gate, where no drain will look again.
template <class G>
std::size_t stranded(G& gate) {
  Item item;
  Stop stop;
  ScopedHook hook("gate.enter", &Stop::here, &stop);
  typename G::Entry entry{};
  std::thread sender([&] { entry = gate.enter(item); });
  while (!stop.reached) std::this_thread::yield();
  gate.drain([](Item&) { return true; });
  stop.go_on = true;
  sender.join();
  EXPECT_TRUE(gate.is_open());
  EXPECT_EQ(entry == G::Entry::kParked, gate.waiting() == 1);
  return gate.waiting();
}

TEST(Gate, AnItemBetweenTestAndDrainIsNotStranded) {
  Gate gate;
  EXPECT_EQ(stranded(gate), 0u);
}

TEST(Gate, FaultTestThenEnqueueIsCaught) {
  Fault gate;
  EXPECT_EQ(stranded(gate), 1u);
}

// The way opens, and the sender comes in between: an opener that could open without draining would strand
// what waits. Here opening is draining, so no test can be written for the real class that opens it otherwise.
TEST(Gate, FaultOpenWithoutDrainIsCaught) {
  OpenWithoutDrainGate<Item> fault;
  Item early;
  EXPECT_EQ(fault.enter(early), OpenWithoutDrainGate<Item>::Entry::kParked);
  fault.open();
  EXPECT_TRUE(fault.is_open());
  EXPECT_EQ(fault.waiting(), 1u);
  Gate gate;
  EXPECT_EQ(gate.enter(early), Gate::Entry::kParked);
  gate.drain([](Item&) { return true; });
  EXPECT_TRUE(gate.is_open());
  EXPECT_EQ(gate.waiting(), 0u);
}

/// The peer is destroyed with items that wait for it: how many hear of it.
template <class G>
int told_of_the_end(G& gate) {
  auto all = items(3);
  for (Item& item : all) EXPECT_EQ(gate.enter(item), G::Entry::kParked);
  Seen seen;
  gate.shatter(Errc::kShutdown, &Seen::fail, &seen);
  EXPECT_EQ(gate.waiting(), 0u);
  return static_cast<int>(seen.failed.size());
}

TEST(Gate, DestroyingThePeerIsADrainToo) {
  Gate gate;
  EXPECT_EQ(told_of_the_end(gate), 3);
}

TEST(Gate, FaultForgetAtTheEndIsCaught) {
  ForgetfulGate<Item> gate;
  EXPECT_EQ(told_of_the_end(gate), 0);
}

#if !defined(NDEBUG)
TEST(GateDeath, AGateThatDiesWithItemsIsABug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Item item;
        Gate gate;
        if (gate.enter(item) != Gate::Entry::kParked) std::exit(0);
      },
      "nobody will hear of");
}
#endif

TEST(Gate, ItemsWaitInOrderAndTheGateOpensWhenNoneIsLeft) {
  Gate gate;
  auto all = items(3);
  for (Item& item : all) EXPECT_EQ(gate.enter(item), Gate::Entry::kParked);
  Seen seen;
  EXPECT_EQ(gate.drain(seen.pass()), 3u);
  EXPECT_EQ(seen.passed, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(gate.is_open());
  EXPECT_EQ(gate.enter(all[0]), Gate::Entry::kPass);
}

TEST(Gate, ARefusedItemKeepsItsPlace) {
  Gate gate;
  auto all = items(4);
  for (int i : {0, 1, 2}) ASSERT_EQ(gate.enter(all[i]), Gate::Entry::kParked);
  int room = 1;
  std::vector<int> passed;
  auto pass = [&](Item& item) {
    if (room == 0) return false;
    --room;
    passed.push_back(item.id);
    return true;
  };
  EXPECT_EQ(gate.drain(pass), 1u);
  EXPECT_EQ(gate.enter(all[3]), Gate::Entry::kParked);
  EXPECT_FALSE(gate.is_open());
  room = 10;
  EXPECT_EQ(gate.drain(pass), 3u);
  EXPECT_EQ(passed, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Gate, TurnedBackGoesFirst) {
  Gate gate;
  gate.drain([](Item&) { return true; });
  auto all = items(2);
  EXPECT_EQ(gate.enter(all[0]), Gate::Entry::kPass);
  EXPECT_TRUE(gate.turn_back(all[0]));
  EXPECT_EQ(gate.enter(all[1]), Gate::Entry::kParked);
  Seen seen;
  gate.drain(seen.pass());
  EXPECT_EQ(seen.passed, (std::vector<int>{0, 1}));
}

// The way opens between the refusal that a drainer got and its giving up; whoever opened it calls drain and
// is sent away because one is under way. The first drainer must look again.
TEST(Gate, AWayThatOpensWhileTheDrainerGivesUpIsNotMissed) {
  Gate gate;
  Item item;
  ASSERT_EQ(gate.enter(item), Gate::Entry::kParked);
  struct Way {
    Gate& gate;
    bool open = false;
    int refused = 0;
    static void opens(void* self) {
      auto* way = static_cast<Way*>(self);
      if (way->open) return;
      way->open = true;
      EXPECT_EQ(way->gate.drain([](Item&) { return true; }), 0u);
    }
  } way{gate};
  ScopedHook hook("gate.drained", &Way::opens, &way);
  const std::size_t gone = gate.drain([&](Item&) {
    way.refused += way.open ? 0 : 1;
    return way.open;
  });
  EXPECT_EQ(way.refused, 1);
  EXPECT_EQ(gone, 1u);
  EXPECT_TRUE(gate.is_open());
}

TEST(Gate, BreakingHandsEveryItemBack) {
  Gate gate;
  auto all = items(3);
  for (Item& item : all) ASSERT_EQ(gate.enter(item), Gate::Entry::kParked);
  Seen seen;
  gate.shatter(Errc::kPeerGone, &Seen::fail, &seen);
  EXPECT_EQ(seen.failed, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(gate.waiting(), 0u);
  EXPECT_EQ(gate.enter(all[0]), Gate::Entry::kBroken);
  EXPECT_FALSE(gate.turn_back(all[0]));
  EXPECT_EQ(gate.drain(seen.pass()), 0u);
  gate.shut();
  EXPECT_EQ(gate.enter(all[0]), Gate::Entry::kParked);
  EXPECT_EQ(gate.drain(seen.pass()), 1u);
}

TEST(Gate, BreakingDuringADrainHandsBackWhatTheDrainHolds) {
  Gate gate;
  auto all = items(4);
  for (int i : {0, 1, 2}) ASSERT_EQ(gate.enter(all[i]), Gate::Entry::kParked);
  Seen seen;
  gate.drain([&](Item& item) {
    if (item.id != 0) return false;
    seen.passed.push_back(item.id);
    EXPECT_EQ(gate.enter(all[3]), Gate::Entry::kParked);
    gate.shatter(Errc::kPeerGone, &Seen::fail, &seen);
    return true;
  });
  EXPECT_EQ(seen.passed, (std::vector<int>{0}));
  EXPECT_EQ(seen.failed, (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(gate.waiting(), 0u);
  EXPECT_EQ(gate.enter(all[0]), Gate::Entry::kBroken);
}

// A new connection begins while the old drain is under way: the old items go back, the new ones wait, and the
// old drain does not open the gate of the new connection.
TEST(Gate, ANewConnectionDuringAnOldDrainStartsShutAndKeepsItsItems) {
  Gate gate;
  auto all = items(3);
  for (int i : {0, 1}) ASSERT_EQ(gate.enter(all[i]), Gate::Entry::kParked);
  Seen seen;
  gate.drain([&](Item& item) {
    if (item.id == 0) {
      gate.shatter(Errc::kPeerGone, &Seen::fail, &seen);
      gate.shut();
      EXPECT_EQ(gate.enter(all[2]), Gate::Entry::kParked);
      return true;
    }
    return false;
  });
  EXPECT_EQ(seen.failed, (std::vector<int>{1}));
  EXPECT_FALSE(gate.is_open());
  EXPECT_EQ(gate.waiting(), 1u);
  EXPECT_EQ(gate.drain(seen.pass()), 1u);
  EXPECT_EQ(seen.passed, (std::vector<int>{2}));
}

}  // namespace
}  // namespace hawser::tests
