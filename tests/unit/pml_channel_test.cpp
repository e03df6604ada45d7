// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "pml/channel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "pml/impl.hpp"
#include "tests/fakes/world_of_one.hpp"

namespace hawser::pml {
namespace {

constexpr int kSources = 3;

/// Matching as the MPI standard tells it, in two lists that are searched from the front.
class Oracle {
 public:
  struct Post {
    int id, source, tag;
  };
  struct Message {
    int id, source, tag;
  };

  static bool fits(int want_source, int want_tag, int source, int tag) {
    return (want_source == kAnySource || want_source == source) && (want_tag == kAnyTag || want_tag == tag);
  }
  /// The receive that gets it, or -1.
  int arrive(const Message& message) {
    for (auto it = posts.begin(); it != posts.end(); ++it) {
      if (!fits(it->source, it->tag, message.source, message.tag)) continue;
      const int id = it->id;
      posts.erase(it);
      return id;
    }
    messages.push_back(message);
    return -1;
  }
  /// The message that it gets, or -1.
  int find(int source, int tag, bool claim) {
    for (auto it = messages.begin(); it != messages.end(); ++it) {
      if (!fits(source, tag, it->source, it->tag)) continue;
      const int id = it->id;
      if (claim) messages.erase(it);
      return id;
    }
    return -1;
  }
  bool cancel(int id) {
    return std::erase_if(posts, [&](const Post& post) { return post.id == id; }) != 0;
  }

  std::list<Post> posts;
  std::list<Message> messages;
};

/// One random history, told to both. A message carries its id as data.
class History {
 public:
  History(PmlImpl& pml, unsigned seed, std::uint32_t begin_at)
      : pml_(pml), random_(seed), channel_(1, 0, {0, 1, 2}, begin_at) {
    for (auto& next : send_next_) next = begin_at;
    for (auto& next : expected_) next = begin_at;
  }

  void run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFatalFailure(); ++step) one();
  }

 private:
  void one() {
    switch (random_() % 6) {
      case 0:
      case 1:
        return send();
      case 2:
      case 3:
        return post();
      case 4:
        return probe(random_() % 2 == 0);
      default:
        return cancel();
    }
  }
  int tag() { return static_cast<int>(random_() % 3); }
  int want_source() { return static_cast<int>(random_() % (kSources + 1)) - 1; }
  int want_tag() { return random_() % 4 == 0 ? kAnyTag : tag(); }

  /// Sends a few from one source, in the order of their sequence, and delivers them in any.
  void send() {
    const int source = static_cast<int>(random_() % kSources);
    std::vector<std::pair<MatchHeader, int>> window(1 + random_() % 4);
    for (auto& [match, id] : window) {
      match = {1, tag(), source, send_next_[source]++};
      id = next_id_++;
      sent_[{source, match.sequence}] = {id, source, match.tag};
    }
    std::shuffle(window.begin(), window.end(), random_);
    for (auto& [match, id] : window) {
      deliver(match, id);
      if (random_() % 8 == 0) deliver(match, id);  // again: of no effect
    }
  }

  void deliver(const MatchHeader& match, int id) {
    const bool news = static_cast<std::int32_t>(match.sequence - expected_[match.source]) >= 0 &&
                      !ahead_.count({match.source, match.sequence});
    const bool in_turn = match.sequence == expected_[match.source];
    ReceiveRequest* receive = nullptr;
    const MessageView view{static_cast<std::uint32_t>(match.source), match, nullptr, &id, sizeof id};
    const auto arrival = channel_.arrive(view, receive);
    if (!news) {
      ASSERT_EQ(arrival, Channel::Arrival::kDropped);
      return;
    }
    if (!in_turn) {
      ASSERT_EQ(arrival, Channel::Arrival::kKept);
      ahead_[{match.source, match.sequence}] = id;
      return;
    }
    judge(match, arrival, receive);
    while (ArrivedMessage* next = channel_.next_in_turn(match.source)) {
      ASSERT_EQ(next->match.sequence, expected_[match.source]);
      ahead_.erase({match.source, next->match.sequence});
      ReceiveRequest* matched = nullptr;
      const auto outcome = channel_.arrive(next->view(), matched);
      judge(next->match, outcome, matched);
      next->free();
    }
    ASSERT_EQ(ahead_.count({match.source, expected_[match.source]}), 0u) << "left behind";
  }

  void judge(const MatchHeader& match, Channel::Arrival arrival, ReceiveRequest* receive) {
    ++expected_[match.source];
    const int expected = oracle_.arrive(sent_.at({match.source, match.sequence}));
    ASSERT_EQ(arrival, expected < 0 ? Channel::Arrival::kKept : Channel::Arrival::kMatched);
    ReceiveRequest* winner = expected < 0 ? nullptr : requests_.at(static_cast<std::size_t>(expected)).get();
    ASSERT_EQ(receive, winner);
  }

  void post() {
    const int id = static_cast<int>(requests_.size());
    const int source = want_source();
    const int tag = want_tag();
    requests_.push_back(std::make_unique<ReceiveRequest>(pml_, channel_, Buffer{}, source, tag));
    const int expected = oracle_.find(source, tag, true);
    ArrivedMessage* message = channel_.match_or_post(*requests_.back(), 0);
    if (expected < 0) {
      ASSERT_EQ(message, nullptr);
      oracle_.posts.push_back({id, source, tag});
      return;
    }
    take(message, expected);
  }

  void probe(bool claim) {
    const int source = want_source();
    const int tag = want_tag();
    const int expected = oracle_.find(source, tag, claim);
    Status status;
    ArrivedMessage* message = channel_.find(source, tag, claim, status);
    ASSERT_EQ(message != nullptr, expected >= 0);
    if (!message) return;
    ASSERT_EQ(status.source, message->match.source);
    ASSERT_EQ(status.tag, message->match.tag);
    ASSERT_EQ(status.size, sizeof(int));
    if (claim) take(message, expected);
  }

  void take(ArrivedMessage* message, int expected) {
    ASSERT_NE(message, nullptr);
    int id = -1;
    std::memcpy(&id, message->view().data, sizeof id);
    ASSERT_EQ(id, expected);
    message->free();
  }

  void cancel() {
    if (requests_.empty()) return;
    const int id = static_cast<int>(random_() % requests_.size());
    ASSERT_EQ(channel_.unpost(*requests_[static_cast<std::size_t>(id)]), oracle_.cancel(id));
  }

  PmlImpl& pml_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<ReceiveRequest>> requests_;  // outlive the channel's lists
  Channel channel_;
  Oracle oracle_;
  std::uint32_t send_next_[kSources] = {};
  std::uint32_t expected_[kSources] = {};
  std::map<std::pair<int, std::uint32_t>, Oracle::Message> sent_;
  std::map<std::pair<int, std::uint32_t>, int> ahead_;
  int next_id_ = 0;
};

TEST(Channel, MatchesAsTheStandardSaysWhateverTheHistory) {
  fakes::WorldOfOne world;
  PmlImpl pml(*world.runtime, *world.bml);
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    History(pml, seed, seed % 2 == 0 ? 0 : 0xffffffff - seed % 64).run(200);
    if (HasFatalFailure()) return;
  }
}

TEST(Channel, ClosesWithTheEndOfItsLastUse) {
  fakes::WorldOfOne world;
  PmlImpl pml(*world.runtime, *world.bml);
  std::vector<std::unique_ptr<ReceiveRequest>> requests;
  Channel unused(1, 0, {0}), used(2, 0, {0});
  for (const std::uint32_t uses : {1u, 0u, 1u}) {
    requests.push_back(std::make_unique<ReceiveRequest>(pml, used, Buffer{}, 0, 0));
    EXPECT_EQ(used.match_or_post(*requests.back(), uses), nullptr);
  }
  EXPECT_FALSE(used.end_uses(1)) << "nobody wants to close it";
  EXPECT_FALSE(used.close_when_unused());
  EXPECT_TRUE(used.end_uses(1));
  EXPECT_TRUE(unused.close_when_unused());
  for (const auto& request : requests) EXPECT_TRUE(used.unpost(*request));
}

}  // namespace
}  // namespace hawser::pml
