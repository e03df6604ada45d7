// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Small messages that share a write, and connections that are read without asking the event loop.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <thread>

#include "components/tcp/params.hpp"
#include "framework/base/hooks.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/base/unsent.hpp"
#include "tests/unit/tcp_fake_job.hpp"

namespace hawser::tcp {
namespace {

using btl::Posted;
using testing::drive;
using testing::FakeJob;
using testing::Letter;
using testing::Rank;

constexpr std::uint64_t kMinute = 60'000'000'000;

/// Two ranks with a connection, of which `zero` is ready to gather: everything that is small counts as part
/// of a burst, and what is gathered waits for long unless somebody calls.
class Gathering : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::reset_params();
    g_params.gather_time_ns = g_params.gather_gap_ns = kMinute;
  }
  void TearDown() override { testing::reset_params(); }

  void start() {
    ASSERT_EQ(zero.open(), "");
    ASSERT_EQ(one.open(), "");
    rail = zero.reach(1).rails[0];
    // The first that would wait do not: they make the flusher start.
    ASSERT_TRUE(drive({&zero, &one}, [&] {
      if (zero.count(Counter::kGathered) != 0) return true;
      if (say() == Posted::kDone) ++said;
      return false;
    }));
    settle();
  }
  /// Connected, each written at once, and rank 1 reads it without the event loop.
  void heat() {
    g_params.gather_time_ns = 0;
    ASSERT_EQ(zero.open(), "");
    ASSERT_EQ(one.open(), "");
    rail = zero.reach(1).rails[0];
    ASSERT_TRUE(drive({&zero, &one}, [&] { return say() == Posted::kDone; }));
    ++said;
    for (int i = 0; i < 20; ++i) {
      burst(1);
      for (int k = 0; k < 1000 && one.received.size() != said; ++k) one.pass();
    }
  }
  Posted say(const std::string& data = "", bool may_wait = true) {
    const std::uint64_t number = said;
    return rail.module->sendi(*rail.endpoint, {&number, sizeof number, 1, may_wait}, data.data(),
                              data.size());
  }
  /// The same as a descriptor.
  Posted post(const std::string& data, bool may_wait, btl::Tag tag = 1) {
    return rail.module->send(*rail.endpoint, next_letter(data, may_wait, tag).descriptor);
  }
  /// One that may wait, its data in so many pieces.
  Posted post_in_pieces(const std::string& data, std::size_t count) {
    Letter& letter = next_letter(data, true);
    auto& those = pieces.emplace_back();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t from = data.size() * i / count;
      those.push_back({letter.data.data() + from, data.size() * (i + 1) / count - from});
    }
    letter.descriptor.data = those.data();
    letter.descriptor.data_count = static_cast<std::uint32_t>(count);
    return rail.module->send(*rail.endpoint, letter.descriptor);
  }
  Letter& next_letter(const std::string& data, bool may_wait, btl::Tag tag = 1) {
    const std::uint64_t number = said++;
    Letter& letter =
        letters.emplace_back(tag, std::string(reinterpret_cast<const char*>(&number), sizeof number), data);
    letter.descriptor.may_wait = may_wait;
    return letter;
  }
  /// Everything arrives, in order.
  void settle() {
    ASSERT_TRUE(drive({&zero, &one}, [&] { return one.received.size() >= said; }));
    check_order();
  }
  void check_order() {
    ASSERT_EQ(one.received.size(), said);
    for (std::size_t i = 0; i < said; ++i) {
      std::uint64_t number = 0;
      std::memcpy(&number, one.received[i].header.data(), sizeof number);
      ASSERT_EQ(number, i);
    }
  }
  void burst(std::size_t count, const std::string& data = "") {
    for (std::size_t i = 0; i < count; ++i, ++said) ASSERT_EQ(say(data), Posted::kDone);
  }

  std::deque<Letter> letters;  // outlive the ranks
  std::deque<std::vector<iovec>> pieces;
  FakeJob job{2};
  Rank zero{job, 0};
  Rank one{job, 1};
  btl::Reach::Rail rail{};
  std::size_t said = 0;
};

TEST_F(Gathering, ABurstWaitsForTheNextPass) {
  start();
  const std::uint64_t before = zero.count(Counter::kGathered);
  // One that is long under way is written when another comes: again, until one waits.
  ASSERT_TRUE(drive({}, [&] {
    burst(5);
    return !zero.component().flushed();
  }));
  for (int i = 0; i < 20; ++i) one.turn(1);
  EXPECT_LT(one.received.size(), said) << "nobody called, and a minute is not over";
  EXPECT_GE(zero.count(Counter::kGathered), before + 5);
  zero.component().progress();
  EXPECT_TRUE(zero.component().flushed());
  ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; }));
  check_order();
}

TEST_F(Gathering, TheFirstNeverWaits) {
  g_params.gather_gap_ns = 0;  // each is the first of a burst of its own
  ASSERT_EQ(zero.open(), "");
  ASSERT_EQ(one.open(), "");
  rail = zero.reach(1).rails[0];
  ASSERT_TRUE(drive({&zero, &one}, [&] { return say() == Posted::kDone; }));
  ++said;
  burst(200);
  ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; })) << "the sender makes no pass";
  check_order();
  EXPECT_EQ(zero.count(Counter::kGathered), 0u);
}

TEST_F(Gathering, WhatMayNotWaitGoesAtOnceAndTakesOthersAlong) {
  start();
  for (int round = 0; round < 10; ++round) {
    burst(5);
    ASSERT_EQ(say("", false), Posted::kDone);
    ++said;
    ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; })) << "the sender makes no pass";
  }
  check_order();
}

TEST_F(Gathering, WhoComputesIsHelpedOut) {
  g_params.gather_time_ns = 1'000'000;
  start();
  for (int round = 0; round < 20; ++round) {
    burst(10);
    ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; })) << "the sender makes no pass";
  }
  check_order();
}

TEST_F(Gathering, TheFlusherIsCalledFromItsSleep) {
#if !defined(HAWSER_HOOKS)
  GTEST_SKIP() << "needs the hooks";
#endif
  g_params.gather_time_ns = 1000;
  static std::atomic<int> sleeps{0};
  hooks::set(
      "tcp.before_flusher_sleeps", [](void*) { ++sleeps; }, nullptr);
  start();
  int seen = 0;
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(drive({}, [&] { return sleeps != seen; }));  // it sleeps, or is about to
    seen = sleeps;
    burst(10);
    ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; })) << round;
  }
  hooks::set("tcp.before_flusher_sleeps", nullptr, nullptr);
  check_order();
}

TEST_F(Gathering, AFullBufferIsWritten) {
  start();
  const std::string data(1000, 'x');
  const std::size_t before = one.received.size();
  burst(40, data);
  ASSERT_TRUE(drive({&one}, [&] { return one.received.size() > before + 10; })) << "the sender makes no pass";
  settle();
}

TEST_F(Gathering, WhatIsLargeTakesItAlong) {
  start();
  burst(5);
  ASSERT_EQ(say(std::string(20'000, 'y'), false), Posted::kDone);
  ++said;
  ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; })) << "the sender makes no pass";
  burst(5);
  ASSERT_NE(post(std::string(300'000, 'z'), false), Posted::kUnreachable);
  settle();
  EXPECT_EQ(one.received.back().data, letters.back().data);
}

TEST_F(Gathering, DescriptorsGatherToo) {
  start();
  const std::uint64_t before = zero.count(Counter::kGathered);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(post("d", true), Posted::kDone);
  EXPECT_EQ(zero.count(Counter::kGathered), before + 50);
  settle();
}

TEST_F(Gathering, ALongOneIsHeldForTheNextPass) {
  start();
  const std::string data(20'000, 'l');
  EXPECT_EQ(say(data), Posted::kNoResource) << "only a descriptor can be held";
  ASSERT_EQ(post(data, true), Posted::kPending);
  for (int i = 0; i < 20; ++i) one.turn(1);
  EXPECT_LT(one.received.size(), said) << "nobody called, and a minute is not over";
  zero.component().progress();
  EXPECT_EQ(letters.back().completions, 1);
  ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; }));
  check_order();
  EXPECT_EQ(one.received.back().data, data);
}

TEST_F(Gathering, SoManyLongOnesAreWorthAWrite) {
  start();
  const std::size_t before = one.received.size();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(post(std::string(60'000, 'm'), true), Posted::kPending);
  ASSERT_TRUE(drive({&one}, [&] { return one.received.size() > before + 2; })) << "the sender makes no pass";
  for (const Letter& letter : letters) EXPECT_EQ(letter.completions, 0) << "it is told in a pass";
  settle();
  ASSERT_TRUE(drive({&zero}, [&] { return zero.component().flushed(); }));
  for (const Letter& letter : letters) EXPECT_EQ(letter.completions, 1);
}

TEST_F(Gathering, WhatMayNotWaitTakesLongOnesAlong) {
  start();
  ASSERT_EQ(post(std::string(20'000, 'n'), true), Posted::kPending);
  ASSERT_EQ(post("now", false), Posted::kPending);
  ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; })) << "the sender makes no pass";
  check_order();
}

TEST_F(Gathering, WhoComputesIsHelpedOutWithLongOnes) {
  g_params.gather_time_ns = 1'000'000;
  start();
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(post(std::string(100'000, 'h'), true), Posted::kPending);
    ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; })) << "the sender makes no pass";
    EXPECT_EQ(letters.back().completions, 0) << "it is told in a pass";
    EXPECT_TRUE(drive({&zero}, [&] { return letters.back().completions == 1; }));
  }
  check_order();
}

TEST_F(Gathering, AllThatIsHeldGoesThoughOneWriteTakesLess) {
  start();
  std::size_t pending = 0;
  const auto count = [&](Posted posted) {
    ASSERT_TRUE(posted == Posted::kPending || posted == Posted::kDone);  // done: what was held was old enough
    if (posted == Posted::kPending) ++pending;
  };
  for (int i = 0; i < 4; ++i) count(post_in_pieces(std::string(20'000, 'a'), 50));
  count(post("now", false));
  ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; })) << "the sender makes no pass";
  ASSERT_TRUE(drive({&zero}, [&] { return zero.component().flushed(); }));
  check_order();
  std::size_t completions = 0;
  for (const Letter& letter : letters) completions += static_cast<std::size_t>(letter.completions);
  EXPECT_EQ(completions, pending);
  EXPECT_NE(pending, 0u);
}

TEST_F(Gathering, AHeldOneIsSaidToBeUnsent) {
  start();
  zero.component().progress();
  g_unsent.store(false);
  ASSERT_EQ(post(std::string(20'000, 'u'), true), Posted::kPending);
  EXPECT_TRUE(g_unsent.load());
}

TEST_F(Gathering, HeldOnesEndOnceWithTheirConnection) {
  start();
  ASSERT_EQ(post(std::string(20'000, 'e'), true), Posted::kPending);
  zero.component().release_peer(1);
  zero.turn();
  EXPECT_EQ(letters.back().completions, 1);
}

// Whoever waited for the first of them may have a place for the second, once it has had a look.
TEST_F(Gathering, APlaceIsAskedForAgainAfterALook) {
  start();
  for (const bool stays : {false, true}) {
    const std::size_t before = one.received.size();
    one.refuse_place = true;
    burst(1);
    ASSERT_NE(post(std::string(100'000, 'p'), false, 2), Posted::kUnreachable);
    ASSERT_TRUE(drive({&one}, [&] { return one.received.size() != before; }));
    EXPECT_EQ(one.received.size(), before + 1);
    one.refuse_place = stays;
    settle();
    EXPECT_EQ(one.received.back().placed, !stays);
    EXPECT_EQ(one.received.back().data, letters.back().data);
  }
}

TEST_F(Gathering, AFullSocketTakesUntilTheBufferIsFull) {
  g_params.sndbuf = g_params.rcvbuf = 16 * 1024;
  start();
  const std::string data(3000, 'f');
  for (int round = 0; round < 3; ++round) {
    Posted posted = Posted::kDone;
    for (int i = 0; i < 10'000 && posted == Posted::kDone; ++i) {
      posted = say(data);
      if (posted == Posted::kDone) ++said;
    }
    EXPECT_EQ(posted, Posted::kNoResource);
    settle();
  }
}

TEST_F(Gathering, AGoodbyeComesAfterWhatWaits) {
  start();
  burst(100);
  zero.close();
  ASSERT_TRUE(drive({&one}, [&] { return one.received.size() == said; }));
  check_order();
  EXPECT_TRUE(one.failures.empty());
}

TEST_F(Gathering, APeerThatIsGoneIsReported) {
  g_params.gather_time_ns = 1000;
  start();
  one.close();
  for (int i = 0; i < 1000 && say() == Posted::kDone; ++i) {
  }
  ASSERT_TRUE(drive({&zero}, [&] { return say() == Posted::kUnreachable; }));
}

TEST_F(Gathering, ThreadsAndTheFlusherLoseNothing) {
  g_many_threads = true;
  g_params.gather_time_ns = 1000;
  g_params.sndbuf = g_params.rcvbuf = 32 * 1024;
  start();
  constexpr std::uint64_t kThreads = 2;
  constexpr std::uint64_t kEach = 3000;
  one.received.clear();
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string data(t * 700, 't');
      for (std::uint64_t i = 0; i < kEach;) {
        const std::uint64_t word = t << 32 | i;
        const Posted posted =
            rail.module->sendi(*rail.endpoint, {&word, sizeof word, 1, true}, data.data(), data.size());
        ASSERT_TRUE(posted == Posted::kDone || posted == Posted::kNoResource);
        if (posted == Posted::kDone) {
          ++i;
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  EXPECT_TRUE(drive({&zero, &one}, [&] { return one.received.size() == kThreads * kEach; }));
  for (auto& thread : threads) thread.join();
  std::uint64_t next[kThreads] = {};
  for (const auto& message : one.received) {
    std::uint64_t word = 0;
    std::memcpy(&word, message.header.data(), sizeof word);
    ASSERT_LT(word >> 32, kThreads);
    ASSERT_EQ(word & UINT32_MAX, next[word >> 32]++);
  }
  g_many_threads = false;
}

TEST_F(Gathering, ABusyConnectionIsReadWithoutTheEventLoop) {
  g_params.gather_time_ns = 0;  // each is written at once
  ASSERT_EQ(zero.open(), "");
  ASSERT_EQ(one.open(), "");
  rail = zero.reach(1).rails[0];
  ASSERT_TRUE(drive({&zero, &one}, [&] { return say() == Posted::kDone; }));
  ++said;
  const auto arrives_by = [&](void (Rank::*turn)()) {
    const Deadline deadline = deadline_in(std::chrono::seconds(10));
    while (one.received.size() != said && Clock::now() < deadline) (one.*turn)();
    return one.received.size() == said;
  };
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5; ++i) {
      burst(1);
      ASSERT_TRUE(arrives_by(&Rank::pass)) << "it is heard, and becomes hot";
    }
    for (int i = 0; i < 100; ++i) {
      burst(1);
      ASSERT_TRUE(arrives_by(&Rank::poll)) << "the event loop is not asked";
    }
    ASSERT_TRUE(one.component().arm());
    burst(1);
    for (int i = 0; i < 100; ++i) one.poll();
    EXPECT_EQ(one.received.size(), said - 1) << "before a sleep it goes back to the event loop";
    one.turn(10'000);
    EXPECT_EQ(one.received.size(), said);
  }
  // Read in vain for long, it goes back, too.
  for (int i = 0; i < 10'000; ++i) one.poll();
  burst(1);
  for (int i = 0; i < 100; ++i) one.poll();
  EXPECT_EQ(one.received.size(), said - 1);
  ASSERT_TRUE(arrives_by(&Rank::pass));
}

TEST_F(Gathering, AHotConnectionThatEndsIsReported) {
  heat();
  zero.close();
  const auto back = one.reach(0).rails[0];
  const Deadline deadline = deadline_in(std::chrono::seconds(10));
  Posted posted = Posted::kDone;
  while (posted != Posted::kUnreachable && Clock::now() < deadline) {
    one.pass();
    posted = back.module->sendi(*back.endpoint, {"", 0, 1}, nullptr, 0);
  }
  EXPECT_EQ(posted, Posted::kUnreachable);
  EXPECT_EQ(one.received.size(), said);
  for (int i = 0; i < 100; ++i) one.pass();
}

TEST_F(Gathering, AHotConnectionThatCannotGoBackToTheEventLoopIsLostAndReported) {
  heat();
  burst(1);
  one.refuse_watch = true;
  EXPECT_FALSE(one.component().arm()) << "nothing would wake it";
  one.pass();
  EXPECT_EQ(one.received.size(), said) << "what had come is delivered";
  ASSERT_EQ(one.failures.size(), 1u);
  EXPECT_EQ(one.failures[0].rank, 0u);
  EXPECT_NE(one.failures[0].text.find("memory"), std::string::npos) << one.failures[0].text;
  one.pass();
  EXPECT_TRUE(one.component().arm()) << "nothing is left to do";
}

}  // namespace
}  // namespace hawser::tcp
