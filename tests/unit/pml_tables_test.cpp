// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "pml/id_table.hpp"
#include "pml/key_table.hpp"
#include "pml/pool.hpp"

namespace hawser::pml {
namespace {

struct Item {
  int source = 0;
  int tag = 0;
  Link link;
};
using Table = KeyTable<Item, &Item::link>;

TEST(KeyTable, EqualsAMapOfQueues) {
  std::mt19937 random(7);
  Table table;
  std::map<std::pair<int, int>, std::deque<Item*>> model;
  std::deque<Item> items;
  for (int step = 0; step < 200'000; ++step) {
    const int source = static_cast<int>(random() % 40) - 1;
    const int tag = static_cast<int>(random() % 50) - 2;
    auto& queue = model[{source, tag}];
    ASSERT_EQ(table.first(source, tag), queue.empty() ? nullptr : queue.front());
    if (random() % 2 == 0) {
      items.push_back({source, tag, {}});
      table.push(source, tag, items.back());
      queue.push_back(&items.back());
    } else if (!queue.empty()) {
      const std::size_t which = random() % queue.size();
      queue[which]->link.unlink();
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  std::size_t seen = 0;
  table.for_each([&](Item& item) {
    ++seen;
    item.link.unlink();
  });
  std::size_t expected = 0;
  for (const auto& [key, queue] : model) expected += queue.size();
  EXPECT_EQ(seen, expected);
  table.for_each([](Item&) { ADD_FAILURE() << "emptied"; });
}

TEST(KeyTable, LookUpsStayShortWithManyKeys) {
  for (int shape = 0; shape < 3; ++shape) {
    Table table;
    std::deque<Item> items;
    for (int i = 0; i < 100'000; ++i) {
      const int source = shape == 0 ? i : shape == 1 ? i % 300 : -1;
      const int tag = shape == 0 ? 5 : shape == 1 ? i / 300 : i * 1024;
      items.push_back({source, tag, {}});
      table.push(source, tag, items.back());
    }
    for (Item& item : items) ASSERT_EQ(table.first(item.source, item.tag), &item);
    EXPECT_LE(table.longest_chain(), 16u) << "shape " << shape;
  }
}

TEST(KeyTable, KeysThatAreUsedOnceDoNotFillIt) {
  Table table;
  Item item;
  for (int tag = 0; tag < 100'000; ++tag) {
    table.push(3, tag, item);
    ASSERT_EQ(table.first(3, tag), &item);
    item.link.unlink();
    ASSERT_LE(table.longest_chain(), 32u) << "its first buckets suffice: " << tag;
  }
}

TEST(IdTable, AnIdIsGoodOnceAndForItsObjectOnly) {
  IdTable<int> table;
  int a = 1;
  int b = 2;
  const std::uint64_t first = table.add(a);
  EXPECT_EQ(table.find(first), &a);
  EXPECT_EQ(table.take_if(first, [](int& value) { return value == 2; }), nullptr);
  EXPECT_EQ(table.take(first), &a);
  EXPECT_EQ(table.take(first), nullptr);
  EXPECT_EQ(table.find(first), nullptr);
  const std::uint64_t second = table.add(b);
  EXPECT_NE(second, first) << "the place is used again, under another name";
  EXPECT_EQ(static_cast<std::uint32_t>(second), static_cast<std::uint32_t>(first));
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(table.find(second), &b);
  for (const std::uint64_t made_up :
       {std::uint64_t{0}, ~std::uint64_t{0}, second + 1, second ^ (std::uint64_t{1} << 63)}) {
    EXPECT_EQ(table.find(made_up), nullptr);
    EXPECT_EQ(table.take(made_up), nullptr);
  }
  std::uint32_t from = 0;
  const auto any = [](int&) { return true; };
  EXPECT_EQ(table.take_next(from, any), &b);
  EXPECT_EQ(table.take_next(from, any), nullptr);
  EXPECT_EQ(table.find(second), nullptr);
}

TEST(IdTable, EqualsAMap) {
  std::mt19937 random(11);
  IdTable<int> table;
  std::vector<int> objects(500);
  std::map<std::uint64_t, int*> model;
  std::vector<std::uint64_t> gone;
  for (int step = 0; step < 100'000; ++step) {
    if (random() % 2 == 0 && model.size() < objects.size()) {
      int& object = objects[random() % objects.size()];
      const std::uint64_t id = table.add(object);
      ASSERT_TRUE(model.emplace(id, &object).second) << "an id twice";
    } else if (!model.empty()) {
      auto it = model.lower_bound(static_cast<std::uint64_t>(random()) << 32 | random());
      if (it == model.end()) it = model.begin();
      ASSERT_EQ(table.take(it->first), it->second);
      gone.push_back(it->first);
      model.erase(it);
    }
    if (!gone.empty()) {
      const std::uint64_t old = gone[random() % gone.size()];
      ASSERT_EQ(table.find(old), nullptr);
    }
  }
}

struct Pooled {
  explicit Pooled(int n) : number(n) {}
  long number;
};

// What a thread kept is there for the others once it has ended, also what it was given by another thread.
TEST(Pool, MemoryOfAThreadThatEndedIsUsedAgain) {
  Pool<Pooled> pool;
  constexpr int kObjects = 500;
  std::vector<Pooled*> objects;
  for (int i = 0; i < kObjects; ++i) objects.push_back(pool.make(i));
  const std::set<Pooled*> memory(objects.begin(), objects.end());
  EXPECT_EQ(memory.size(), objects.size());
  for (int i = 0; i < kObjects; ++i) EXPECT_EQ(objects[static_cast<std::size_t>(i)]->number, i);
  std::thread([&] {
    for (Pooled* object : objects) pool.destroy(*object);
  }).join();
  objects.clear();
  for (int i = 0; i < kObjects; ++i) objects.push_back(pool.make(i));
  for (Pooled* object : objects) EXPECT_TRUE(memory.count(object) != 0);
  for (Pooled* object : objects) pool.destroy(*object);
}

}  // namespace
}  // namespace hawser::pml
