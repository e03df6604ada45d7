// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/peers/peer_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/race/worst_moment.hpp"

namespace hawser::tests {
namespace {

/// The table of the framework with the interface of the faulty ones.
class RealTable {
 public:
  Endpoints* find(std::uint32_t rank) { return table_.find(rank); }
  template <class Build>
  Endpoints* get_or_build(std::uint32_t rank, Build&& build) {
    auto got = table_.get_or_make(rank, soon(), [&]() -> Result<std::unique_ptr<Endpoints>> {
      auto made = std::make_unique<Endpoints>();
      build(*made);
      return made;
    });
    return got ? *got : nullptr;
  }
  std::uint64_t published() const { return table_.published(); }

 private:
  peers::PeerTable<Endpoints> table_{8};
};

/// 64 threads meet one peer for the first time; the creator goes on only when every other thread has either
/// been parked or has become a creator too. How many were built.
template <class Table>
int creations_at_first_touch(Table& table) {
  std::atomic<int> parked{0};
  std::atomic<int> building{0};
  ScopedHook hook("peer.parked", &count, &parked);
  std::vector<std::thread> threads;
  std::vector<Endpoints*> got(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      got[i] = table.get_or_build(3, [&](Endpoints& peer) {
        ++building;
        while (building + parked < kThreads) std::this_thread::yield();
        peer.built.assign(kWhole, 1);
      });
    });
  }
  for (auto& thread : threads) thread.join();
  for (Endpoints* peer : got) EXPECT_EQ(peer->built.size(), std::size_t{kWhole});
  return building;
}

TEST(PeerTable, SixtyFourFirstTouchesMakeOnePeer) {
  RealTable table;
  EXPECT_EQ(creations_at_first_touch(table), 1);
  EXPECT_EQ(table.published(), 1u);
}

TEST(PeerTable, FaultCheckThenActIsCaught) {
  CheckThenActTable table;
  EXPECT_GT(creations_at_first_touch(table), 1);
}

/// 63 threads wait for a creator that takes its time; how often they looked whether it is done.
template <class Table>
int looks_of_the_parked(Table& table) {
  constexpr int kPatience = 20'000;  // turns of the creator; whoever spins looks far more often
  std::atomic<int> parked{0};
  std::atomic<int> looks{0};
  ScopedHook park("peer.parked", &count, &parked);
  ScopedHook look("peer.looked", &count, &looks);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      table.get_or_build(5, [&](Endpoints& peer) {
        wait_for(parked, kThreads - 1);
        for (int turn = 0; turn < kPatience && looks < 10 * kThreads; ++turn) std::this_thread::yield();
        peer.built.assign(kWhole, 1);
      });
    });
  }
  for (auto& thread : threads) thread.join();
  return looks;
}

TEST(PeerTable, TheParkedSleepAndLookOnceWhenTheyAreWoken) {
  RealTable table;
  EXPECT_EQ(looks_of_the_parked(table), kThreads - 1);
}

TEST(PeerTable, FaultSpinningIsCaught) {
  SpinTable table;
  EXPECT_GE(looks_of_the_parked(table), 10 * kThreads);
}

/// Stops the creator when half of the endpoints are built; how many a finder sees then, -1 if it finds
/// nothing.
template <class Table>
int endpoints_seen_half_way(Table& table) {
  std::atomic<int> half_way{0};
  std::atomic<int> go_on{0};
  std::thread creator([&] {
    table.get_or_build(1, [&](Endpoints& peer) {
      peer.built.assign(kWhole / 2, 1);
      half_way = 1;
      wait_for(go_on, 1);
      peer.built.assign(kWhole, 1);
    });
  });
  wait_for(half_way, 1);
  Endpoints* seen = table.find(1);
  const int size = seen ? static_cast<int>(seen->built.size()) : -1;
  go_on = 1;
  creator.join();
  return size;
}

TEST(PeerTable, NobodySeesAPeerBeforeItIsWhole) {
  RealTable table;
  EXPECT_EQ(endpoints_seen_half_way(table), -1);
  EXPECT_EQ(table.find(1)->built.size(), std::size_t{kWhole});
}

TEST(PeerTable, FaultPublishEarlyIsCaught) {
  EarlyTable table;
  EXPECT_EQ(endpoints_seen_half_way(table), kWhole / 2);
}

TEST(PeerTable, CreatorStoppedBeforePublishParksTheInboundCallerWhoThenGetsThePeer) {
  RealTable table;
  Stop stop;
  std::atomic<int> parked{0};
  ScopedHook before("peer.before_publish", &Stop::here, &stop);
  ScopedHook park("peer.parked", &count, &parked);
  Endpoints* first = nullptr;
  Endpoints* inbound = nullptr;
  std::thread creator(
      [&] { first = table.get_or_build(2, [](Endpoints& peer) { peer.built.assign(kWhole, 1); }); });
  wait_for(stop.reached, 1);
  std::thread acceptor(
      [&] { inbound = table.get_or_build(2, [](Endpoints&) { FAIL() << "a second creator"; }); });
  wait_for(parked, 1);
  EXPECT_EQ(table.find(2), nullptr);
  stop.go_on = 1;
  creator.join();
  acceptor.join();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(inbound, first);
  EXPECT_EQ(inbound->built.size(), std::size_t{kWhole});
}

TEST(PeerTable, AParkedCallerGivesUpAtItsDeadline) {
  peers::PeerTable<Endpoints> slow(1);
  std::atomic<int> making{0};
  std::atomic<int> go_on{0};
  std::thread creator([&] {
    auto got = slow.get_or_make(0, soon(), [&] {
      making = 1;
      wait_for(go_on, 1);
      return Result<std::unique_ptr<Endpoints>>(std::make_unique<Endpoints>());
    });
    EXPECT_TRUE(got);
  });
  wait_for(making, 1);
  auto late = slow.get_or_make(0, Clock::now(), []() -> Result<std::unique_ptr<Endpoints>> {
    return make_error(Errc::kInvalid, "a second creator");
  });
  go_on = 1;
  creator.join();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::kTimedOut);
}

TEST(PeerTable, TakeWhileOthersLookLeavesEveryRoundWhole) {
  constexpr int kRounds = 100;
  peers::PeerTable<Endpoints> table(1);
  std::atomic<bool> stop{false};
  std::atomic<int> broken{0};
  std::vector<std::thread> lookers;
  for (int i = 0; i < 4; ++i) {
    lookers.emplace_back([&] {
      while (!stop) {
        auto got = table.get_or_make(0, soon(), make_whole);
        // Let go between the end of the creation and the waking of this thread is an answer too.
        if (got ? (*got)->built.size() != kWhole : got.error().code != Errc::kShutdown) ++broken;
        std::this_thread::yield();
      }
    });
  }
  std::vector<std::unique_ptr<Endpoints>> taken;  // destroyed when nobody can be inside: after the join
  while (taken.size() < kRounds) {
    if (auto peer = table.take(0)) taken.push_back(std::move(peer));
    std::this_thread::yield();
  }
  stop = true;
  for (auto& looker : lookers) looker.join();
  EXPECT_EQ(broken, 0);
  EXPECT_EQ(table.published(), taken.size() + (table.find(0) ? 1 : 0));
}

TEST(PeerTable, ACreatorThatAsksForItsOwnPeerIsToldInEveryBuild) {
  peers::PeerTable<Endpoints> table(1);
  auto got = table.get_or_make(0, soon(), [&]() -> Result<std::unique_ptr<Endpoints>> {
    auto inner = table.get_or_make(0, soon(), make_whole);
    if (!inner) return inner.error();
    return make_error(Errc::kOk, "not caught");
  });
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::kInvalid);
  EXPECT_NE(got.error().text.find("rank 0 asked for that way itself"), std::string::npos) << got.error().text;
}

TEST(PeerTable, ARankOutsideTheJobIsAnError) {
  peers::PeerTable<Endpoints> table(2);
  EXPECT_EQ(table.find(2), nullptr);
  EXPECT_EQ(table.take(7), nullptr);
  auto got = table.get_or_make(
      2, soon(), [] { return Result<std::unique_ptr<Endpoints>>(std::make_unique<Endpoints>()); });
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::kInvalid);
}

}  // namespace
}  // namespace hawser::tests
