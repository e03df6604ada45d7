// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Letting go, replacing and closing while a creation runs.
#include <gtest/gtest.h>

#include <string>

#include "framework/peers/peer_table.hpp"
#include "tests/race/worst_moment.hpp"

namespace hawser::tests {
namespace {

using Table = peers::PeerTable<Endpoints>;
using Made = Table::Made;

/// A creation that stands still before it publishes, with one caller parked on it.
template <class T>
class HeldCreation {
 public:
  HeldCreation(T& table, Made (*make)()) {
    creator_ = std::thread([this, &table, make] {
      created = table.get_or_make(0, soon(), [&]() -> Made {
        ++makes;
        auto made = make();
        Stop::here(&stop_);
        return made;
      });
    });
    wait_for(stop_.reached, 1);
    second_ = std::thread([this, &table, make] { joined = table.get_or_make(0, soon(), make); });
    wait_for(parked_, 1);
  }
  ~HeldCreation() { go_on(); }
  void go_on() {
    stop_.go_on = 1;
    if (creator_.joinable()) creator_.join();
    if (second_.joinable()) second_.join();
  }

  Result<Endpoints*> created{nullptr};
  Result<Endpoints*> joined{nullptr};
  std::atomic<int> makes{0};

 private:
  Stop stop_;
  std::atomic<int> parked_{0};
  ScopedHook hook_{"peer.parked", &count, &parked_};
  std::thread creator_;
  std::thread second_;
};

/// The peer is let go while it is being made; whether it can be found afterwards all the same.
template <class T>
bool outlives_its_release(T& table) {
  HeldCreation<T> held(table, make_whole);
  EXPECT_EQ(table.take(0), nullptr);
  held.go_on();
  return table.find(0) != nullptr;
}

TEST(PeerTeardown, WhatIsLetGoWhileItIsMadeIsNotPublished) {
  Table table(1);
  EXPECT_FALSE(outlives_its_release(table));
  EXPECT_EQ(table.published(), 0u);
}

TEST(PeerTeardown, FaultLettingGoOnlyOfWhatIsPublishedIsCaught) {
  HastyTable table;
  EXPECT_TRUE(outlives_its_release(table));
}

TEST(PeerTeardown, LettingGoIsAClearErrorForTheCreatorAndAllWhoWait) {
  Table table(1);
  HeldCreation<Table> held(table, make_whole);
  table.take(0);
  held.go_on();
  ASSERT_FALSE(held.created);
  EXPECT_EQ(held.created.error().code, Errc::kShutdown);
  EXPECT_NE(held.created.error().text.find("rank 0 was let go"), std::string::npos);
  ASSERT_FALSE(held.joined);
  EXPECT_EQ(held.joined.error().text, held.created.error().text);
  EXPECT_TRUE(table.get_or_make(0, soon(), make_whole)) << "the next caller starts anew";
}

TEST(PeerTeardown, WhoAsksAfterTheLettingGoGetsACreationOfHisOwnWhenTheOldOneHasEnded) {
  Table table(1);
  HeldCreation<Table> held(table, make_whole);
  table.take(0);
  std::atomic<int> parked{0};
  ScopedHook hook("peer.parked", &count, &parked);
  Result<Endpoints*> late(nullptr);
  std::atomic<int> makes{0};
  std::thread third([&] {
    late = table.get_or_make(0, soon(), [&] {
      ++makes;
      return make_whole();
    });
  });
  wait_for(parked, 1);
  EXPECT_EQ(makes, 0) << "one creation at a time";
  held.go_on();
  third.join();
  ASSERT_TRUE(late) << late.error().text;
  EXPECT_EQ(makes, 1);
  EXPECT_EQ(table.find(0), *late);
}

TEST(PeerTeardown, ClosingEndsCreationsWakesAllAndWaitsUntilTheyHaveLeft) {
  auto table = std::make_unique<Table>(2);
  ASSERT_TRUE(table->get_or_make(1, soon(), make_whole));
  HeldCreation<Table> held(*table, make_whole);
  auto early = table->close(Clock::now());
  ASSERT_FALSE(early) << "the creator is still inside";
  EXPECT_EQ(early.error().code, Errc::kTimedOut);
  std::atomic<int> closing{0};
  std::thread closer([&] {
    closing = 1;
    EXPECT_TRUE(table->close(soon()));
    EXPECT_NE(table->find(1), nullptr) << "what was published is there until it is taken";
    table.reset();  // nobody may touch it any more
  });
  wait_for(closing, 1);
  held.go_on();
  closer.join();
  ASSERT_FALSE(held.created);
  EXPECT_EQ(held.created.error().code, Errc::kShutdown);
  ASSERT_FALSE(held.joined);
  EXPECT_EQ(held.joined.error().code, Errc::kShutdown);
}

TEST(PeerTeardown, AfterClosingNobodyMakesAPeer) {
  Table table(2);
  ASSERT_TRUE(table.get_or_make(1, soon(), make_whole));
  ASSERT_TRUE(table.close(soon()));
  auto late = table.get_or_make(0, soon(), make_whole);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::kShutdown);
  EXPECT_TRUE(table.get_or_make(1, soon(), make_whole)) << "it is there";
  table.take(1);
  EXPECT_FALSE(table.get_or_make(1, soon(), make_whole));
}

// --- replacing

std::atomic<int> g_state{0};  // what peers are made of

Made make_of_state() {
  auto made = std::make_unique<Endpoints>();
  made->built.assign(kWhole, g_state.load());
  return made;
}

/// What peers are made of changes while one is made of the old; what is published in the end.
template <class T>
int state_after_a_change(T& table) {
  g_state = 1;
  HeldCreation<T> held(table, make_of_state);
  g_state = 2;
  auto next = table.replace(0, *make_of_state());
  EXPECT_NE(next, nullptr) << "none is there to be replaced";
  next.reset();
  held.go_on();
  EXPECT_TRUE(held.created && held.joined && *held.created == *held.joined);
  return table.find(0)->built[0];
}

TEST(PeerReplaced, ACreationOfTheOldStateIsMadeAnew) {
  Table table(1);
  EXPECT_EQ(state_after_a_change(table), 2);
  EXPECT_EQ(table.published(), 1u);
}

TEST(PeerReplaced, FaultCreationThatOvertakesAReplacementIsCaught) {
  HastyTable table;
  EXPECT_EQ(state_after_a_change(table), 1);
}

TEST(PeerForgotten, ACreationUnderWayGoesOnAndIsMadeAnew) {
  Table table(1);
  HeldCreation<Table> held(table, make_whole);
  EXPECT_EQ(table.forget(0), nullptr);
  held.go_on();
  ASSERT_TRUE(held.created) << held.created.error().text;
  EXPECT_EQ(*held.created, *held.joined);
  EXPECT_EQ(held.makes, 2) << "of what there is now";
  EXPECT_EQ(table.find(0), *held.created);
}

TEST(PeerForgotten, WhatIsPublishedIsNotFoundAnyMoreAndTheNextCallMakesIt) {
  Table table(1);
  auto first = table.get_or_make(0, soon(), make_whole);
  ASSERT_TRUE(first);
  const auto old = table.forget(0);
  EXPECT_EQ(old.get(), *first);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_TRUE(table.get_or_make(0, soon(), make_whole));
}

// Finders, makers, a taker and a replacer at once: every peer that is seen is whole, and each is destroyed
// once.
TEST(PeerReplaced, WhileOthersFindTakeAndMake) {
  constexpr int kRounds = 100;
  Table table(1);
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      while (!stop) {
        if (i == 0) {
          if (Endpoints* peer = table.find(0); peer && peer->built.size() != kWhole) ++torn;
          std::this_thread::yield();
          continue;
        }
        auto got = table.get_or_make(0, soon(), make_whole);
        if (got ? (*got)->built.size() != kWhole : got.error().code != Errc::kShutdown) ++torn;
      }
    });
  }
  std::vector<std::unique_ptr<Endpoints>> replaced;
  std::vector<std::unique_ptr<Endpoints>> taken;
  std::thread taker([&] {
    while (taken.size() < kRounds) {
      if (auto peer = table.take(0)) taken.push_back(std::move(peer));
      std::this_thread::yield();
    }
  });
  while (replaced.size() < kRounds) {
    replaced.push_back(table.replace(0, std::move(*make_whole())));
    ASSERT_NE(replaced.back(), nullptr) << "the old one, or its own";
    std::this_thread::yield();
  }
  taker.join();
  stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(torn, 0);
  // A replacement puts one in and hands one out; so does each creation, to the taker.
  EXPECT_EQ(table.published(), taken.size() + (table.find(0) ? 1 : 0));
}

}  // namespace
}  // namespace hawser::tests
