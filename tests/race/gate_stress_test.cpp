// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "framework/peers/gate.hpp"

namespace hawser::tests {
namespace {

constexpr int kSenders = 4;
constexpr int kItems = 20'000;

struct Item {
  Item* next = nullptr;
  int sender = 0;
  int number = 0;
  std::atomic<int> outcomes{0};
};
using Gate = peers::Gate<Item, LockRank::kBmlPeer>;

/// A way that now and then refuses; notes what it took.
class Way {
 public:
  bool take(Item& item) {
    std::lock_guard lock(mutex_);
    if (random_() % 4 == 0) return false;
    if (item.number != next_[item.sender]) ++out_of_order_;
    next_[item.sender] = item.number + 1;
    ++item.outcomes;
    ++taken_;
    return true;
  }
  int taken() {
    std::lock_guard lock(mutex_);
    return taken_;
  }
  int out_of_order() {
    std::lock_guard lock(mutex_);
    return out_of_order_;
  }

 private:
  std::mutex mutex_;
  std::minstd_rand random_{42};
  int next_[kSenders] = {};
  int out_of_order_ = 0;
  int taken_ = 0;
};

using Items = std::unique_ptr<Item[]>;

Items items_of(int sender) {
  auto items = std::make_unique<Item[]>(kItems);
  for (int i = 0; i < kItems; ++i) {
    items[i].sender = sender;
    items[i].number = i;
  }
  return items;
}

TEST(GateStress, EverySendersOrderIsKeptAndNothingIsLost) {
  Gate gate;
  Way way;
  std::vector<Items> items;
  for (int s = 0; s < kSenders; ++s) items.push_back(items_of(s));
  std::vector<std::thread> threads;
  for (int s = 0; s < kSenders; ++s) {
    threads.emplace_back([&, s] {
      for (int i = 0; i < kItems; ++i) {
        Item& item = items[s][i];
        const bool passed = gate.enter(item) == Gate::Entry::kPass;
        if (passed && !way.take(item)) {
          ASSERT_TRUE(gate.turn_back(item));
        }
      }
    });
  }
  for (int d = 0; d < 2; ++d) {
    threads.emplace_back([&] {
      while (way.taken() < kSenders * kItems) {
        gate.drain([&](Item& item) { return way.take(item); });
        std::this_thread::yield();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(way.out_of_order(), 0);
  EXPECT_EQ(gate.waiting(), 0u);
}

TEST(GateStress, WithBreaksEveryItemHasOneOutcome) {
  Gate gate;
  Way way;
  std::vector<Items> items;
  for (int s = 0; s < kSenders; ++s) items.push_back(items_of(s));
  std::atomic<int> senders_left{kSenders};
  std::vector<std::thread> threads;
  for (int s = 0; s < kSenders; ++s) {
    threads.emplace_back([&, s] {
      for (int i = 0; i < kItems; ++i) {
        Item& item = items[s][i];
        const auto entry = gate.enter(item);
        if (entry == Gate::Entry::kBroken) ++item.outcomes;
        if (entry == Gate::Entry::kPass && !way.take(item) && !gate.turn_back(item)) ++item.outcomes;
      }
      --senders_left;
    });
  }
  auto fail = [](void*, Item& item, Errc) { ++item.outcomes; };
  threads.emplace_back([&] {
    while (senders_left != 0) gate.drain([&](Item& item) { return way.take(item); });
  });
  threads.emplace_back([&] {
    while (senders_left != 0) {
      gate.shatter(Errc::kPeerGone, fail, nullptr);
      std::this_thread::yield();
      gate.shut();
      std::this_thread::yield();
    }
  });
  for (auto& thread : threads) thread.join();
  gate.shatter(Errc::kShutdown, fail, nullptr);
  for (auto& of_sender : items) {
    for (int i = 0; i < kItems; ++i) ASSERT_EQ(of_sender[i].outcomes, 1);
  }
}

}  // namespace
}  // namespace hawser::tests
