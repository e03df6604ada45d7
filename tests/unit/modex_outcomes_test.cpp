// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Ranks and launcher together: every get and every fence has one outcome, whatever happens meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include "framework/base/hooks.hpp"
#include "tests/unit/modex_launcher.hpp"

namespace hawser::modex {
namespace {

using namespace std::chrono_literals;
using protocol::Type;
using ::testing::HasSubstr;
using testing::Launcher;

Deadline soon() {
  return deadline_in(60s);
}

using Ranks = std::vector<std::unique_ptr<Modex>>;
Ranks join_all(Launcher& launcher, std::uint32_t size) {
  Ranks ranks;
  for (std::uint32_t rank = 0; rank < size; ++rank) ranks.push_back(launcher.join(rank));
  return ranks;
}
void publish(Modex& modex, std::string_view key, std::string_view value) {
  ASSERT_TRUE(modex.put(key, value));
  ASSERT_TRUE(modex.commit());
}
template <class Body>
void in_threads(std::size_t count, Body&& body) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

// --- get

#if defined(HAWSER_HOOKS)
// Three wait for one request, each with a key and a deadline of its own.
TEST(ModexGet, ValueNotThereAndTimedOutAtOnce) {
  Launcher launcher(2);
  Ranks ranks = join_all(launcher, 2);
  std::atomic<int> waiting{0};
  std::atomic<bool> late_gave_up{false};
  hooks::set(
      "modex.get_waits", [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &waiting);
  std::thread with_value([&] { EXPECT_EQ(*ranks[0]->get(1, "here", soon()), "value"); });
  std::thread without([&] {
    const auto got = ranks[0]->get(1, "absent", soon());
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Errc::kNotFound);
    EXPECT_EQ(got.error().text, "rank 0: rank 1 published no \"absent\"");
  });
  std::thread impatient([&] {
    const auto got = ranks[0]->get(1, "here", Clock::now() + 5ms);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Errc::kTimedOut);
    EXPECT_THAT(got.error().text, HasSubstr("rank 1 has not published \"here\" in time"));
    EXPECT_THAT(got.error().text, HasSubstr("hawser_modex_timeout"));
    late_gave_up = true;
  });
  while (waiting < 3 || !late_gave_up) std::this_thread::yield();
  publish(*ranks[1], "here", "value");
  with_value.join();
  without.join();
  impatient.join();
  hooks::set("modex.get_waits", nullptr, nullptr);
  const int asked = launcher.heard(0, Type::kGet);
  EXPECT_GE(asked, 1);
  EXPECT_LE(asked, 2) << "one request for all three, and one more on behalf of the absent key";
}

TEST(ModexGet, SixtyFourAtOnceAreOneRequest) {
  constexpr int kThreads = 64;
  Launcher launcher(2);
  Ranks ranks = join_all(launcher, 2);
  std::atomic<int> waiting{0};
  hooks::set(
      "modex.get_waits", [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &waiting);
  std::atomic<int> served{0};
  std::thread publisher([&] {
    while (waiting < kThreads) std::this_thread::yield();
    ASSERT_TRUE(ranks[1]->put("odd", "1"));
    publish(*ranks[1], "even", "0");
  });
  in_threads(kThreads, [&](std::size_t i) {
    const auto got = ranks[0]->get(1, i % 2 == 0 ? "even" : "odd", soon());
    if (got && *got == std::to_string(i % 2)) ++served;
  });
  publisher.join();
  hooks::set("modex.get_waits", nullptr, nullptr);
  EXPECT_EQ(served, kThreads);
  EXPECT_EQ(launcher.heard(0, Type::kGet), 1);
}
#endif

TEST(ModexGet, AKeyThatARankCommittedWithoutIsNotThereAtOnce) {
  Launcher launcher(2);
  Ranks ranks = join_all(launcher, 2);
  publish(*ranks[1], "other", "x");
  EXPECT_EQ(*ranks[0]->get(1, "other", soon()), "x");
  EXPECT_EQ(ranks[0]->get(1, "key", soon()).error().code, Errc::kNotFound) << "not after a minute";
  publish(*ranks[1], "key", "late");
  EXPECT_EQ(*ranks[0]->get(1, "key", soon()), "late");
}

TEST(ModexGet, WhatADepartedRankPublishedIsThereAndWhatItDidNotIsAnsweredAtOnce) {
  Launcher launcher(4);
  Ranks ranks = join_all(launcher, 3);  // rank 3 never comes
  publish(*ranks[1], "key", "legacy");
  launcher.die(1, "was killed by signal 9 (Killed)");
  launcher.die(2, "exited with status 3");
  launcher.die(3, "exited with status 0");
  EXPECT_EQ(*ranks[0]->get(1, "key", soon()), "legacy");
  EXPECT_EQ(ranks[0]->get(1, "nothing", soon()).error().code, Errc::kNotFound);
  const auto silent = ranks[0]->get(2, "key", soon());
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().code, Errc::kNotFound);
  EXPECT_THAT(silent.error().text, HasSubstr("rank 2 exited with status 3 and had published nothing"));
  EXPECT_THAT(ranks[0]->get(3, "key", soon()).error().text,
              HasSubstr("rank 3 exited with status 0 before it joined the job"));
}

TEST(ModexGet, DeathAndLeavingEndTheWaitOfThoseWhoAsked) {
  Launcher launcher(3);
  Ranks ranks = join_all(launcher, 3);
  std::thread dies([&] {
    EXPECT_THAT(ranks[0]->get(1, "key", soon()).error().text, HasSubstr("rank 1 was killed by signal 11"));
  });
  std::thread leaves(
      [&] { EXPECT_THAT(ranks[0]->get(2, "key", soon()).error().text, HasSubstr("rank 2 left the job")); });
  while (launcher.heard(0, Type::kGet) < 2) std::this_thread::yield();
  launcher.die(1, "was killed by signal 11 (Segmentation fault)");
  ranks[2]->finalize();
  dies.join();
  leaves.join();
}

TEST(ModexGet, ANewCommitIsSeenAfterForgettingOrAFence) {
  Launcher launcher(2);
  Ranks ranks = join_all(launcher, 2);
  for (int generation = 0; generation < 20; ++generation) {
    const std::string value = std::to_string(generation);
    publish(*ranks[1], "key", value);
    if (generation == 0) {
      ASSERT_EQ(*ranks[0]->get(1, "key", soon()), value);
    } else if (generation % 2 == 1) {
      ASSERT_EQ(*ranks[0]->get(1, "key", soon()), std::to_string(generation - 1)) << "cached";
      ranks[0]->forget(1);
      ASSERT_EQ(*ranks[0]->get(1, "key", soon()), value);
    } else {
      in_threads(2, [&](std::size_t i) { ASSERT_TRUE(ranks[i]->fence(generation % 4 == 0, soon())); });
      ASSERT_EQ(*ranks[0]->get(1, "key", soon()), value);
    }
    ASSERT_EQ(*ranks[1]->get(1, "key", soon()), value) << "one's own too";
  }
  ranks[0]->forget(99);
}

// Threads of one rank ask for all the others, some of which publish late, some without the key, some never;
// in the end the launcher goes away under them.
TEST(ModexGet, EightThreadsOverSixteenRanksAllGetAnOutcome) {
  constexpr std::uint32_t kRanks = 16;
  constexpr int kGets = 1000;
  Launcher launcher(kRanks);
  Ranks ranks = join_all(launcher, kRanks);
  std::atomic<int> wrong{0};
  std::atomic<int> values{0};
  std::atomic<int> gone{0};
  std::thread publisher([&] {
    for (std::uint32_t rank = 1; rank < kRanks; ++rank) {
      while (launcher.heard(0, Type::kGet) < static_cast<int>(rank)) std::this_thread::yield();
      if (rank % 4 == 3) launcher.die(rank, "exited with status 1");  // and never publishes
      if (rank % 4 == 2) publish(*ranks[rank], "other", "x");
      if (rank % 4 < 2) publish(*ranks[rank], "key", std::to_string(rank));
    }
  });
  in_threads(8, [&](std::size_t thread) {
    std::minstd_rand random(static_cast<unsigned>(thread + 1));
    for (int i = 0; i < kGets; ++i) {
      const std::uint32_t rank = 1 + static_cast<std::uint32_t>(random()) % (kRanks - 1);
      if (random() % 16 == 0) ranks[0]->forget(rank);
      const auto got = ranks[0]->get(rank, "key", soon());
      const bool has_it = rank % 4 < 2;
      if (has_it != static_cast<bool>(got)) ++wrong;
      if (got && *got == std::to_string(rank)) ++values;
      if (!got && got.error().code != Errc::kNotFound) ++wrong;
    }
  });
  publisher.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(values, 0);
  std::thread stopper([&] { launcher.stop(); });
  in_threads(8, [&](std::size_t) {
    for (;;) {
      ranks[0]->forget(1);
      const auto got = ranks[0]->get(1, "key", soon());
      if (got) continue;
      if (got.error().code == Errc::kPeerGone) ++gone;
      return;
    }
  });
  stopper.join();
  EXPECT_EQ(gone, 8);
}

// --- fence

TEST(ModexFence, TwoHundredOfSixteenRanksAndNoneIsLate) {
  constexpr std::uint32_t kRanks = 16;
  Launcher launcher(kRanks);
  Ranks ranks = join_all(launcher, kRanks);
  std::atomic<int> entered{0};
  std::atomic<int> wrong{0};
  in_threads(kRanks, [&](std::size_t me) {
    for (int round = 1; round <= 200; ++round) {
      const bool publishes = round % 10 == 0;
      if (publishes) publish(*ranks[me], "round", std::to_string(round));
      ++entered;
      if (!ranks[me]->fence(round % 20 == 0, soon())) ++wrong;
      if (entered < static_cast<int>(kRanks) * round) ++wrong;
      const auto peer = static_cast<std::uint32_t>((me + 1) % kRanks);
      if (publishes && *ranks[me]->get(peer, "round", soon()) < std::to_string(round)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ModexFence, TwoThreadsOfEachRankInTwoFencesAtOnce) {
  constexpr std::uint32_t kRanks = 4;
  Launcher launcher(kRanks);
  Ranks ranks = join_all(launcher, kRanks);
  std::atomic<int> met{0};
  in_threads(2 * kRanks, [&](std::size_t i) {
    for (int round = 0; round < 50; ++round) met += ranks[i / 2]->fence(false, soon()) ? 1 : 0;
  });
  EXPECT_EQ(met, static_cast<int>(2 * kRanks * 50));
}

TEST(ModexFence, DeathsOfOneAndThenTwoMembersAreToldToAll) {
  for (const std::uint32_t deaths : {1u, 2u}) {
    Launcher launcher(4);
    Ranks ranks = join_all(launcher, 4);
    std::atomic<int> told{0};
    std::thread killer([&] {
      for (std::uint32_t rank = 0; rank < 4 - deaths; ++rank) {
        while (launcher.heard(rank, Type::kFence) == 0) std::this_thread::yield();
      }
      for (std::uint32_t i = 0; i < deaths; ++i) launcher.die(3 - i, "was killed by signal 9 (Killed)");
    });
    in_threads(4 - deaths, [&](std::size_t me) {
      const auto met = ranks[me]->fence(true, soon());
      ASSERT_FALSE(met);
      EXPECT_EQ(met.error().code, Errc::kPeerGone);
      EXPECT_THAT(met.error().text, HasSubstr("rank 3 was killed by signal 9 (Killed)"));
      if (met.error().code == Errc::kPeerGone) ++told;
    });
    killer.join();
    EXPECT_EQ(told, static_cast<int>(4 - deaths));
    const auto next = ranks[0]->fence(false, soon());
    ASSERT_FALSE(next) << "nor can a later fence be complete";
    EXPECT_EQ(next.error().code, Errc::kPeerGone);
    if (deaths == 2) {
      EXPECT_THAT(next.error().text, HasSubstr("rank 2 was killed"));
      EXPECT_THAT(next.error().text, HasSubstr("rank 3 was killed"));
    }
  }
}

TEST(ModexFence, OutOfTimeIsOneOutcomeForAllAlsoForWhoComesLate) {
  Launcher launcher(3);
  Ranks ranks = join_all(launcher, 3);
  std::atomic<int> told{0};
  in_threads(2, [&](std::size_t me) {
    const auto met = ranks[me]->fence(false, Clock::now() + (me == 0 ? 20ms : 60'000ms));
    ASSERT_FALSE(met);
    EXPECT_EQ(met.error().code, Errc::kTimedOut);
    EXPECT_THAT(met.error().text, HasSubstr("rank 2"));
    ++told;
  });
  EXPECT_EQ(ranks[2]->fence(false, soon()).error().code, Errc::kTimedOut);
  EXPECT_EQ(told, 2);
  in_threads(3, [&](std::size_t me) { EXPECT_TRUE(ranks[me]->fence(false, soon())) << "the next is whole"; });
}

#if defined(HAWSER_HOOKS)
// One thread of a rank is in a fence, and another asks, when a third leaves the job.
TEST(ModexLeaving, WakesAllWhoWaitAndTellsTheOthers) {
  Launcher launcher(3);
  Ranks ranks = join_all(launcher, 3);  // rank 2 does not enter
  std::atomic<int> waiting{0};
  const auto count = [](void* counter) { ++*static_cast<std::atomic<int>*>(counter); };
  hooks::set("modex.get_waits", count, &waiting);
  hooks::set("modex.fence_waits", count, &waiting);
  std::thread fence([&] {
    const auto met = ranks[0]->fence(false, soon());
    ASSERT_FALSE(met);
    EXPECT_EQ(met.error().code, Errc::kShutdown);
    EXPECT_EQ(met.error().text, "rank 0: fence 1: this process leaves the job, or has left it");
  });
  std::thread get([&] { EXPECT_EQ(ranks[0]->get(1, "key", soon()).error().code, Errc::kShutdown); });
  std::thread other([&] {
    const auto met = ranks[1]->fence(false, soon());
    ASSERT_FALSE(met);
    EXPECT_EQ(met.error().code, Errc::kPeerGone);
    EXPECT_THAT(met.error().text, HasSubstr("rank 0 left the job"));
  });
  while (waiting < 3) std::this_thread::yield();
  ranks[0]->finalize();
  ranks[0].reset();  // nobody is inside any more
  fence.join();
  get.join();
  other.join();
  hooks::set("modex.get_waits", nullptr, nullptr);
  hooks::set("modex.fence_waits", nullptr, nullptr);
  EXPECT_EQ(launcher.fault(), "") << "nothing was asked after the goodbye";
}
#endif

TEST(ModexLeaving, AfterItEverythingIsAnErrorAndNothingWaits) {
  Launcher launcher(2);
  Ranks ranks = join_all(launcher, 2);
  ranks[0]->finalize();
  ranks[0]->finalize();
  EXPECT_EQ(ranks[0]->fence(true, soon()).error().code, Errc::kShutdown);
  EXPECT_EQ(ranks[0]->get(1, "key", soon()).error().code, Errc::kShutdown);
  EXPECT_EQ(ranks[0]->commit().error().code, Errc::kShutdown);
  EXPECT_FALSE(ranks[0]->first_to_report("topic"));
}

TEST(ModexLeaving, TheNextProcessOfARankMeetsTheNextOnes) {
  Launcher launcher(2);
  for (int epoch = 0; epoch < 5; ++epoch) {
    Ranks ranks = join_all(launcher, 2);
    publish(*ranks[1], "epoch", std::to_string(epoch));
    in_threads(2, [&](std::size_t me) { ASSERT_TRUE(ranks[me]->fence(true, soon())); });
    EXPECT_EQ(*ranks[0]->get(1, "epoch", soon()), std::to_string(epoch));
    in_threads(2, [&](std::size_t me) {
      ASSERT_TRUE(ranks[me]->fence(false, soon()));
      ranks[me]->finalize();
    });
  }
  EXPECT_EQ(launcher.fault(), "");
}

// --- a rank that does not read

TEST(ModexStuck, ARankWhoseSocketIsFullHoldsNobodyUp) {
  Launcher launcher(3, 4096);
  Ranks ranks = join_all(launcher, 2);
  {  // rank 2 says hello, asks for much, and never reads an answer
    Channel stuck(launcher.socket_of(2), protocol::kMaxFromLauncher);
    stuck.send(protocol::encode(protocol::Hello{2}));
    stuck.send(protocol::encode(protocol::Commit{1, protocol::encode_blob({})}));
    publish(*ranks[1], "key", std::string(200'000, 'x'));
    for (std::uint64_t id = 1; id <= 20; ++id) {
      stuck.send(protocol::encode(protocol::Get{id, 1}));
      while (stuck.has_output()) stuck.flush();
    }
    while (!launcher.is_stuck(2)) std::this_thread::yield();
    stuck.send(protocol::encode(protocol::Fence{1, true, 60'000}));
    while (stuck.has_output()) stuck.flush();
  }
  in_threads(2, [&](std::size_t me) {
    ASSERT_TRUE(ranks[me]->fence(true, soon()));
    ASSERT_EQ(ranks[me]->get(1, "key", soon())->size(), 200'000u);
  });
  EXPECT_TRUE(launcher.is_stuck(2));
  EXPECT_EQ(launcher.fault(), "");
}

// What a thread has to send is sent although another one began to wait for input before there was anything to
// send.
TEST(ModexStuck, AFullSocketToTheLauncherDelaysAndLosesNothing) {
  Launcher launcher(2, 4096);
  Ranks ranks = join_all(launcher, 2);
  std::thread reader([&] { EXPECT_EQ(*ranks[0]->get(1, "key", soon()), "value"); });
  while (launcher.heard(0, Type::kGet) == 0) std::this_thread::yield();
  in_threads(8, [&](std::size_t i) {
    for (int round = 0; round < 5; ++round) {
      ASSERT_TRUE(ranks[0]->put("mine" + std::to_string(i), std::string(50'000, 'y')));
      ASSERT_TRUE(ranks[0]->commit());
      ASSERT_EQ(ranks[0]->get(0, "mine" + std::to_string(i), soon())->size(), 50'000u);
      ranks[0]->forget(0);
    }
  });
  publish(*ranks[1], "key", "value");
  reader.join();
}

}  // namespace
}  // namespace hawser::modex
