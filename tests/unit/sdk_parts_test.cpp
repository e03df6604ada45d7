// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <tuple>

#include "framework/btl/outgoing.hpp"
#include "framework/btl/parts.hpp"
#include "framework/btl/peer_facts.hpp"
#include "framework/peers/kept.hpp"
#include "tests/unit/sdk_host.hpp"

// What every component would write again: answers, callbacks, facts of peers, messages, peers that are kept.

namespace hawser::btl {
namespace {

TEST(SdkParts, OpenAnswersWithTheErrorAndItsText) {
  char why[64] = "nothing";
  EXPECT_EQ(answer_open(why, sizeof why, [] { return Result<void>(); }), Errc::kOk);
  EXPECT_STREQ(why, "nothing");
  const auto refused = []() -> Result<void> { return make_error(Errc::kUnsupported, "no such {}", "card"); };
  EXPECT_EQ(answer_open(why, sizeof why, refused), Errc::kUnsupported);
  EXPECT_STREQ(why, "no such card");
  char none = 'x';
  EXPECT_EQ(answer_open(&none, 0, refused), Errc::kUnsupported);
  EXPECT_EQ(none, 'x') << "there is no room for a text";
}

TEST(SdkParts, WhatOpenThrowsIsAnAnswer) {
  char why[64] = "";
  EXPECT_EQ(answer_open(why, sizeof why, []() -> Result<void> { throw std::bad_alloc(); }),
            Errc::kOutOfMemory);
  EXPECT_STREQ(why, "out of memory");
  EXPECT_EQ(answer_open(why, sizeof why, []() -> Result<void> { throw std::runtime_error("odd"); }),
            Errc::kSystem);
  EXPECT_STREQ(why, "odd");
}

struct Ears {
  void hear(std::uint32_t events) noexcept { heard = events; }
  bool listen() noexcept { return ++listened != 0; }
  std::uint32_t heard = 0;
  int listened = 0;
};

TEST(SdkParts, MemberFunctionsAreCalledBack) {
  TestHost host;
  Ears ears;
  ASSERT_EQ(watch<&Ears::hear>(host, 5, 7, ears), Errc::kOk);
  ASSERT_EQ(watch<&Ears::listen>(host, 6, 7, ears), Errc::kOk);
  ASSERT_NE(call_at<&Ears::listen>(host, 0, ears), 0u);
  host.event(5);
  EXPECT_EQ(ears.heard, 7u);
  host.event(6);
  host.run_calls();
  EXPECT_EQ(ears.listened, 2);
}

TEST(SdkPeerFacts, ALocalProcessIsFoundAndOthersAreRefusedWithTheReason) {
  TestHost host;
  host.procs[2].boot_id[3] = 1;
  std::strcpy(host.procs[2].host, "far");
  host.procs.erase(3);
  const auto near = local_proc(host, 1);
  ASSERT_TRUE(near);
  EXPECT_EQ((*near)->rank, 1u);
  const std::tuple<std::uint32_t, Errc, const char*> wanted[] = {
      {0, Errc::kUnreachable, "\"self\""},
      {2, Errc::kUnreachable, "rank 2 on far does not share"},
      {3, Errc::kNotFound, "nothing is known of rank 3: it has not started"}};
  for (const auto& [rank, code, text] : wanted) {
    const auto proc = local_proc(host, rank);
    ASSERT_FALSE(proc);
    EXPECT_EQ(proc.error().code, code);
    EXPECT_NE(proc.error().text.find(text), std::string::npos) << proc.error().text;
  }
}

TEST(SdkPeerFacts, WhatIsPublishedComesBackIfItHasTheSize) {
  TestHost host;
  const auto none = published_by<std::uint64_t>(host, 1, "btl.x");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kUnreachable);
  ASSERT_TRUE(publish(host, "btl.x", std::uint64_t{42}));
  EXPECT_EQ(published_by<std::uint64_t>(host, 1, "btl.x").value(), 42u);
  EXPECT_EQ(published_by<std::uint32_t>(host, 1, "btl.x").error().code, Errc::kVersion);
  EXPECT_EQ((published_by<std::array<std::uint64_t, 2>>(host, 1, "btl.x").error().code), Errc::kVersion);
}

TEST(SdkOutgoing, BothKindsOfPostGiveTheSameBytes) {
  char a[] = "aa", b[] = "bbb";
  const iovec pieces[] = {{a, 2}, {nullptr, 0}, {b, 3}};
  Descriptor descriptor;
  descriptor.data = pieces;
  descriptor.data_count = 3;
  descriptor.data_size = 5;
  descriptor.tag = 9;
  descriptor.header_size = 4;
  std::memcpy(descriptor.header, "head", 4);
  const Outgoing described(descriptor), immediate({"head", 4, 9}, "aabbb", 5);
  EXPECT_EQ(described.descriptor, &descriptor);
  EXPECT_EQ(immediate.descriptor, nullptr);
  for (const Outgoing* message : {&described, &immediate}) {
    unsigned char bytes[9];
    message->copy_to(bytes);
    EXPECT_EQ(std::memcmp(bytes, "headaabbb", 9), 0);
    EXPECT_EQ(message->size, 5u);
    EXPECT_EQ(message->head.tag, 9);
  }
  const Outgoing empty({nullptr, 0, 9}, nullptr, 0);
  empty.copy_to(nullptr);
}

struct Old {
  explicit Old(int* its_alive) : alive(its_alive) { ++*alive; }
  ~Old() { --*alive; }
  int* alive;
  std::unique_ptr<Old> next;
};

TEST(SdkKept, AllAreVisitedBeforeAnyIsDestroyedHoweverManyTheyAre) {
  constexpr int kMany = 200'000;
  int alive = 0, visited = 0, fewest = kMany;
  peers::Kept<Old> kept;
  for (int i = 0; i < kMany; ++i) kept.add(std::make_unique<Old>(&alive));
  kept.clear([&](Old&) {
    ++visited;
    fewest = std::min(fewest, alive);
  });
  EXPECT_EQ(visited, kMany);
  EXPECT_EQ(fewest, kMany);
  EXPECT_EQ(alive, 0);
}

TEST(SdkKept, AVisitKeepsThemAndThoseThatComeMeanwhile) {
  int alive = 0, visited = 0;
  peers::Kept<Old> kept;
  kept.for_each([&](Old&) { ++visited; });
  EXPECT_EQ(visited, 0);
  for (int i = 0; i < 3; ++i) kept.add(std::make_unique<Old>(&alive));
  kept.for_each([&](Old&) {  // with no lock held: it may add
    if (++visited == 1) kept.add(std::make_unique<Old>(&alive));
  });
  EXPECT_EQ(visited, 3);
  kept.for_each([&](Old&) { ++visited; });
  EXPECT_EQ(visited, 3 + 4);
  EXPECT_EQ(alive, 4);
}

TEST(SdkKept, OneIsTakenBackTheLastThatWasAdded) {
  int alive = 0, other = 0;
  peers::Kept<Old> kept;
  const auto is_other = [&](const Old& peer) { return peer.alive == &other; };
  EXPECT_EQ(kept.take(is_other), nullptr);
  for (int* whose : {&alive, &other, &alive, &other, &alive}) kept.add(std::make_unique<Old>(whose));
  const auto taken = kept.take(is_other);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->next, nullptr);
  EXPECT_EQ(alive + other, 5) << "the rest is kept";
  EXPECT_NE(kept.take(is_other), nullptr);
  EXPECT_EQ(kept.take(is_other), nullptr);
  int left = 0;
  kept.clear([&](Old&) { ++left; });
  EXPECT_EQ(left, 3);
}

}  // namespace
}  // namespace hawser::btl
