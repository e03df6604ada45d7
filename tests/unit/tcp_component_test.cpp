// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Messages between two ranks over loopback: sizes, order, placing, goodbye and loss.
#include <gtest/gtest.h>

#include <deque>

#include "components/tcp/params.hpp"
#include "tests/unit/tcp_fake_job.hpp"

namespace hawser::tcp::testing {
namespace {

using btl::Posted;

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 + (i >> 8));
  return text;
}

class TwoRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    reset_params();
    start();
  }
  void start() {
    zero = std::make_unique<Rank>(job, 0);
    one = std::make_unique<Rank>(job, 1);
    ASSERT_EQ(zero->open(), "");
    ASSERT_EQ(one->open(), "");
  }
  bool drive_until(const std::function<bool()>& done) { return drive({zero.get(), one.get()}, done); }
  // Posts and waits for the completion if one is owed.
  void send(Rank& from, btl::Reach::Rail rail, Letter& letter) {
    const Posted posted = rail.module->send(*rail.endpoint, letter.descriptor);
    ASSERT_TRUE(posted == Posted::kDone || posted == Posted::kPending);
    if (posted == Posted::kDone) return;
    ASSERT_TRUE(drive_until([&] { return letter.completions != 0; })) << from.job().rank;
    ASSERT_EQ(letter.status, Errc::kOk);
  }

  FakeJob job{2};
  std::unique_ptr<Rank> zero;
  std::unique_ptr<Rank> one;
};

TEST_F(TwoRanks, FirstSendConnectsAndDelivers) {
  const auto reach = zero->reach(1);
  ASSERT_EQ(reach.count, 1u) << reach.reason;
  Letter letter(1, "head", "body");
  EXPECT_EQ(reach.rails[0].module->send(*reach.rails[0].endpoint, letter.descriptor), Posted::kPending);
  ASSERT_TRUE(drive_until([&] { return one->received.size() == 1; }));
  EXPECT_EQ(one->received[0].rank, 0u);
  EXPECT_EQ(one->received[0].header, "head");
  EXPECT_EQ(one->received[0].data, "body");
  EXPECT_EQ(letter.completions, 1);
  EXPECT_EQ(zero->count(Counter::kConnectionsMade), 1u);
  EXPECT_EQ(one->count(Counter::kAccepted), 1u);
  EXPECT_EQ(one->count(Counter::kDroppedInbound), 0u);
}

TEST_F(TwoRanks, AddProcsGivesTheSameRailsEachTime) {
  const auto first = zero->reach(1);
  const auto second = zero->reach(1);
  ASSERT_EQ(first.count, second.count);
  for (std::size_t i = 0; i < first.count; ++i) EXPECT_EQ(first.rails[i].endpoint, second.rails[i].endpoint);
}

TEST_F(TwoRanks, ItselfIsNotReachedAndTheReasonSaysWhatIs) {
  const auto reach = zero->reach(0);
  EXPECT_EQ(reach.count, 0u);
  EXPECT_EQ(reach.status, Errc::kUnreachable);
  EXPECT_NE(std::string(reach.reason).find("self"), std::string::npos);
}

TEST_F(TwoRanks, ImmediateSendIsRefusedUntilConnected) {
  const auto rail = zero->reach(1).rails[0];
  const std::uint64_t head = 7;
  EXPECT_EQ(rail.module->sendi(*rail.endpoint, {&head, 8, 1}, "xyz", 3), Posted::kNoResource);
  ASSERT_TRUE(drive_until([&] { return zero->count(Counter::kConnectionsMade) == 1; }))
      << "it asks for a connection";
  EXPECT_EQ(rail.module->sendi(*rail.endpoint, {&head, 8, 1}, "xyz", 3), Posted::kDone);
  ASSERT_TRUE(drive_until([&] { return one->received.size() == 1; }));
  EXPECT_EQ(one->received[0].data, "xyz");
}

TEST_F(TwoRanks, AllSizesArriveWhole) {
  const auto rail = zero->reach(1).rails[0];
  for (const btl::Tag tag : {btl::Tag{1}, btl::Tag{2}}) {
    for (const std::size_t size :
         {0u, 1u, 15u, 4095u, 4096u, 65431u, 65432u, 65433u, 65536u, 262144u, 4u << 20}) {
      one->received.clear();
      Letter letter(tag, "h", pattern(size));
      send(*zero, rail, letter);
      ASSERT_TRUE(drive_until([&] { return one->received.size() == 1; })) << size;
      EXPECT_EQ(one->received[0].data, letter.data) << size;
    }
  }
  EXPECT_GT(one->count(Counter::kPlacedBytes), 4u << 20);
}

TEST_F(TwoRanks, PlaceMayDecline) {
  one->refuse_place = true;
  const auto rail = zero->reach(1).rails[0];
  Letter letter(2, "h", pattern(1 << 20));
  send(*zero, rail, letter);
  ASSERT_TRUE(drive_until([&] { return one->received.size() == 1; }));
  EXPECT_EQ(one->received[0].data, letter.data);
  EXPECT_FALSE(one->received[0].placed);
  EXPECT_EQ(one->count(Counter::kPlacedBytes), 0u);
}

TEST_F(TwoRanks, OrderHoldsThroughConnectingAndFullSockets) {
  const auto rail = zero->reach(1).rails[0];
  std::deque<Letter> letters;
  for (int i = 0; i < 300; ++i) {
    Letter& letter = letters.emplace_back(1, std::to_string(i), pattern(static_cast<std::size_t>(i) * 331));
    const Posted posted = rail.module->send(*rail.endpoint, letter.descriptor);
    ASSERT_TRUE(posted == Posted::kDone || posted == Posted::kPending);
    if (i == 150) drive_until([&] { return one->received.size() > 10; });
  }
  ASSERT_TRUE(drive_until([&] { return one->received.size() == letters.size(); }));
  for (std::size_t i = 0; i < letters.size(); ++i) {
    ASSERT_EQ(one->received[i].header, std::to_string(i));
    ASSERT_EQ(one->received[i].data, letters[i].data);
    EXPECT_LE(letters[i].completions, 1);
  }
  EXPECT_EQ(zero->count(Counter::kMessagesSent), 300u);
  EXPECT_EQ(one->count(Counter::kMessagesReceived), 300u);
}

TEST_F(TwoRanks, ScatteredDataIsGathered) {
  const auto rail = zero->reach(1).rails[0];
  const std::string whole = pattern(200 * 1000);
  std::vector<iovec> pieces;
  for (std::size_t at = 0; at < whole.size(); at += 1000) {
    pieces.push_back({const_cast<char*>(whole.data()) + at, 1000});
  }
  Letter letter(1, "", "");
  letter.descriptor.data = pieces.data();
  letter.descriptor.data_count = static_cast<std::uint32_t>(pieces.size());
  letter.descriptor.data_size = whole.size();
  send(*zero, rail, letter);
  ASSERT_TRUE(drive_until([&] { return one->received.size() == 1; }));
  EXPECT_EQ(one->received[0].data, whole);
}

TEST_F(TwoRanks, ImmediateSendsIntoAFullSocketStayWhole) {
  g_params.sndbuf = g_params.rcvbuf = 16 * 1024;
  start();
  const auto rail = zero->reach(1).rails[0];
  Letter first(1, "", "first");
  send(*zero, rail, first);
  const std::string data = pattern(60'001);
  std::size_t taken = 0;
  // The receiver reads only between the rounds, so each round ends with a socket that takes a part or
  // nothing.
  for (int round = 0; round < 100 && zero->count(Counter::kShortWrites) == 0; ++round) {
    while (rail.module->sendi(*rail.endpoint, {"12345678", 8, 1}, data.data(), data.size()) == Posted::kDone)
      ++taken;
    ASSERT_TRUE(drive_until([&] { return one->received.size() == taken + 1; }));
  }
  EXPECT_GT(zero->count(Counter::kShortWrites), 0u);
  EXPECT_GT(zero->count(Counter::kNoResource), 0u);
  for (std::size_t i = 1; i <= taken; ++i) ASSERT_EQ(one->received[i].data, data);
}

TEST_F(TwoRanks, GoodbyeIsSilent) {
  const auto rail = zero->reach(1).rails[0];
  Letter letter(1, "", pattern(100'000));
  send(*zero, rail, letter);
  ASSERT_TRUE(drive_until([&] { return zero->component().flushed(); }));
  zero->close();
  ASSERT_TRUE(drive_until([&] { return one->received.size() == 1; }))
      << "what was sent before the goodbye arrives";
  const auto back = one->reach(0).rails[0];
  ASSERT_TRUE(drive_until([&] {
    return back.module->sendi(*back.endpoint, {"", 0, 1}, nullptr, 0) == Posted::kUnreachable;
  }));
  EXPECT_TRUE(one->failures.empty()) << one->failures[0].text;
}

TEST_F(TwoRanks, SeveralLinksMakeSeveralRails) {
  g_params.links = 3;
  start();
  const auto reach = zero->reach(1);
  ASSERT_EQ(reach.count, 3u);
  for (std::size_t i = 0; i < reach.count; ++i) {
    EXPECT_EQ(reach.rails[i].module->name(), "tcp/lo#" + std::to_string(i));
    Letter letter(1, std::to_string(i), "x");
    send(*zero, reach.rails[i], letter);
  }
  ASSERT_TRUE(drive_until([&] { return one->received.size() == 3; }));
  EXPECT_EQ(one->count(Counter::kAccepted), 3u);
}

TEST_F(TwoRanks, UnequalNumbersOfLinksAgreeOnTheSmaller) {
  g_params.links = 4;
  one = std::make_unique<Rank>(job, 1);
  ASSERT_EQ(one->open(), "");
  EXPECT_EQ(zero->reach(1).count, 1u);
  EXPECT_EQ(one->reach(0).count, 1u);
  const auto rail = one->reach(0).rails[0];
  Letter letter(1, "", "x");
  send(*one, rail, letter);
  ASSERT_TRUE(drive_until([&] { return zero->received.size() == 1; }));
}

TEST_F(TwoRanks, UnequalLimitsEndNoConnection) {
  g_params.max_send_size = g_params.eager_limit = g_params.rndv_eager_limit = 4096;
  one = std::make_unique<Rank>(job, 1);
  ASSERT_EQ(one->open(), "");
  Letter large(2, "", pattern(4 << 20));
  send(*zero, zero->reach(1).rails[0], large);
  ASSERT_TRUE(drive_until([&] { return one->received.size() == 1; }));
  EXPECT_EQ(one->received[0].data, large.data);
  Letter back(2, "", pattern(4096));
  send(*one, one->reach(0).rails[0], back);
  ASSERT_TRUE(drive_until([&] { return zero->received.size() == 1; }));
  EXPECT_TRUE(zero->failures.empty() && one->failures.empty());
}

TEST_F(TwoRanks, ReleaseCompletesWhatWaits) {
  const auto rail = zero->reach(1).rails[0];
  Letter letter(1, "", "never");
  ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kPending);
  zero->component().release_peer(1);
  zero->turn();
  EXPECT_EQ(letter.completions, 1);
  EXPECT_EQ(letter.status, Errc::kShutdown);
}

TEST_F(TwoRanks, ARankThatEndedBeforeItPublishedIsNamedAsThat) {
  job.dead = 1;
  Rank zero(job, 0);
  ASSERT_EQ(zero.open(), "");
  const auto way = zero.reach(1);
  EXPECT_NE(way.status, Errc::kOk);
  EXPECT_NE(std::string(way.reason).find("rank 1: it ended before it published"), std::string::npos)
      << way.reason;
}

TEST_F(TwoRanks, WrongFamilyGivesTheReason) {
  g_params.if_include = "::1/128";
  one = std::make_unique<Rank>(job, 1);
  if (!one->open().empty()) GTEST_SKIP() << "no IPv6 here";
  const auto reach = zero->reach(1);
  EXPECT_EQ(reach.count, 0u);
  EXPECT_NE(std::string(reach.reason).find("IPv4 against IPv6"), std::string::npos) << reach.reason;
}

TEST_F(TwoRanks, LoopbackNeverLeavesTheNode) {
  job.procs[1].net_namespace = 99;
  const auto reach = zero->reach(1);
  EXPECT_EQ(reach.count, 0u);
  EXPECT_EQ(reach.status, Errc::kUnreachable);
  EXPECT_NE(std::string(reach.reason).find("same node"), std::string::npos) << reach.reason;
}

TEST(TcpOpen, UnknownInterfaceListsThePresentOnes) {
  reset_params();
  g_params.if_include = "nope0";
  FakeJob job(1);
  Rank rank(job, 0);
  const std::string why = rank.open();
  EXPECT_NE(why.find("nope0"), std::string::npos) << why;
  EXPECT_NE(why.find("lo (127.0.0.1/8"), std::string::npos) << why;
}

TEST(TcpOpen, PortRangeIsKept) {
  reset_params();
  g_params.port_min_v4 = 23'100;
  g_params.port_range_v4 = 2;
  FakeJob job(3);
  Rank zero(job, 0);
  Rank one(job, 1);
  Rank two(job, 2);
  EXPECT_EQ(zero.open(), "");
  EXPECT_EQ(one.open(), "");
  const std::string why = two.open();
  EXPECT_NE(why.find("all ports from 23100 to 23101"), std::string::npos) << why;
}

}  // namespace
}  // namespace hawser::tcp::testing
