// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/matching/matching.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/matching_brute_force.hpp"
#include "tests/unit/matching_questions.hpp"

namespace hawser::matching {
namespace {

using interfaces::IpAddress;
using namespace testing;

TEST(Matching, DockerOnBothSidesIsNotAWay) {
  const Question question{{at(1, "10.9.0.1", 24), at(2, "172.17.0.1", 16)},
                          {at(1, "10.9.0.2", 24), at(2, "172.17.0.1", 16)},
                          false,
                          true};
  EXPECT_EQ(text(question), "10.9.0.1-10.9.0.2 ");
  EXPECT_EQ(verdict_of(question, 1, 1), Verdict::kOwnAddress);
}

TEST(Matching, DifferentBridgesAreNotPairedBesideAGoodPair) {
  const std::uint32_t idle = interfaces::kBridge | interfaces::kBridgeWithoutPorts | interfaces::kNoCarrier;
  const Question question{{at(1, "10.9.0.1", 24), at(2, "172.17.0.1", 16, idle)},
                          {at(1, "10.9.0.2", 24), at(2, "192.168.122.1", 24, idle)},
                          false,
                          true};
  EXPECT_EQ(text(question), "10.9.0.1-10.9.0.2 ");
  EXPECT_EQ(verdict_of(question, 1, 1), Verdict::kDoubtful);
}

TEST(Matching, TheOnlyWayIsTakenHoweverDoubtful) {
  const std::uint32_t idle = interfaces::kBridge | interfaces::kBridgeWithoutPorts | interfaces::kNoCarrier;
  EXPECT_EQ(text({{at(2, "172.17.0.1", 16, idle)}, {at(2, "192.168.122.1", 24)}, false, true}),
            "172.17.0.1-192.168.122.1 ");
}

TEST(Matching, EthernetBeforeTunnel) {
  const std::uint32_t tunnel = interfaces::kTunnel | interfaces::kPointToPoint;
  EXPECT_EQ(text({{at(1, "100.64.0.1", 24, tunnel), at(2, "10.9.0.1", 24)},
                  {at(1, "100.64.0.2", 24, tunnel), at(2, "10.9.0.2", 24)},
                  false,
                  false}),
            "10.9.0.1-10.9.0.2 ");
}

TEST(Matching, NamingOverrulesDoubt) {
  const std::uint32_t tunnel = interfaces::kTunnel | interfaces::kPointToPoint | interfaces::kNamed;
  EXPECT_EQ(match({{at(1, "100.64.0.1", 24, tunnel), at(2, "10.9.0.1", 24, interfaces::kNamed)},
                   {at(1, "100.64.0.2", 24, tunnel), at(2, "10.9.0.2", 24, interfaces::kNamed)},
                   false,
                   false})
                .pairs.size(),
            2u);
}

TEST(Matching, EqualSpeedsGoTogether) {
  EXPECT_EQ(text({{at(1, "10.9.0.1", 24, 0, 1000), at(2, "10.9.0.2", 24, 0, 10'000)},
                  {at(1, "10.9.0.3", 24, 0, 10'000), at(2, "10.9.0.4", 24, 0, 1000)},
                  false,
                  true}),
            "10.9.0.2-10.9.0.3 10.9.0.1-10.9.0.4 ");
}

TEST(Matching, SeveralAddressesOfAnInterfaceMakeOneWay) {
  const Question question{{at(1, "10.9.0.1", 24), at(1, "10.9.0.11", 24), at(1, "2001:db8::1", 64)},
                          {at(5, "10.9.0.2", 24), at(5, "2001:db8::2", 64)},
                          false,
                          true};
  EXPECT_EQ(text(question), "10.9.0.1-10.9.0.2 ");
  EXPECT_EQ(verdict_of(question, 2, 1), Verdict::kBetterAddress);
  EXPECT_EQ(verdict_of(question, 2, 0), Verdict::kFamily);
}

TEST(Matching, LoopbackStaysAtHome) {
  const Candidate lo = at(1, "127.0.0.1", 8, interfaces::kLoopback);
  const Candidate eth = at(2, "10.9.0.1", 24);
  EXPECT_EQ(text({{lo, eth}, {lo, eth}, true, true}), "127.0.0.1-127.0.0.1 ");
  EXPECT_EQ(text({{eth}, {eth}, true, true}), "10.9.0.1-10.9.0.1 ")
      << "same node: equal addresses are the same host";
  const Question apart{{lo}, {lo}, false, true};
  EXPECT_EQ(text(apart), "");
  EXPECT_EQ(verdict_of(apart, 0, 0), Verdict::kLoopbackOffNode);
  EXPECT_NE(explain(apart, match(apart)).find("same node"), std::string::npos);
}

TEST(Matching, BothInterfacesOfANodeIfTheUserNamesThem) {
  const Candidate lo = at(1, "127.0.0.1", 8, interfaces::kLoopback | interfaces::kNamed);
  const Candidate eth = at(2, "10.9.0.1", 24, interfaces::kNamed);
  EXPECT_EQ(match({{lo, eth}, {lo, eth}, true, true}).pairs.size(), 2u);
}

TEST(Matching, LoopbackStaysAtHomeHoweverItIsNamed) {
  const Candidate lo = at(1, "127.0.0.1", 8, interfaces::kLoopback | interfaces::kNamed);
  const Candidate alias = at(1, "10.5.5.5", 32, interfaces::kLoopback | interfaces::kNamed);
  const Candidate eth = at(2, "10.9.0.1", 24, interfaces::kNamed);
  EXPECT_EQ(text({{lo, alias}, {lo, at(1, "10.5.5.6", 32, interfaces::kLoopback)}, false, true}), "");
  EXPECT_EQ(text({{lo, eth}, {lo, at(2, "10.9.0.2", 24)}, false, true}), "10.9.0.1-10.9.0.2 ");
}

// A tunnel and twenty dummies, made before the good interface.
Question crowded(bool same_node) {
  Question q{{}, {}, same_node, true};
  for (const unsigned host : {1u, 2u}) {
    auto& list = host == 1 ? q.ours : q.theirs;
    list.push_back(
        at(2, fmt::format("100.64.0.{}", host), 32, interfaces::kTunnel | interfaces::kPointToPoint, 10));
    for (unsigned i = 0; i < 20; ++i) {
      list.push_back(at(3 + i, fmt::format("10.{}.0.{}", 100 + i, host), 24, interfaces::kNoNeighbours));
    }
    list.push_back(at(40, fmt::format("10.9.0.{}", host), 24));
    list.push_back(at(1, "127.0.0.1", 8, interfaces::kLoopback));
  }
  return q;
}

TEST(Matching, ManyUselessInterfacesAreNotInTheWay) {
  EXPECT_EQ(text(crowded(false)), "10.9.0.1-10.9.0.2 ");
  Question home = crowded(true);
  home.theirs = home.ours;
  EXPECT_EQ(text(home), "127.0.0.1-127.0.0.1 ");
}

TEST(Matching, BridgesCostButAreUsed) {
  const Candidate ours = at(1, "10.8.0.1", 24, interfaces::kBridge);
  const Candidate theirs = at(1, "10.8.0.2", 24);
  EXPECT_EQ(text({{ours}, {theirs}, false, true}), "10.8.0.1-10.8.0.2 ");
  EXPECT_EQ(text({{ours, at(2, "10.9.0.1", 24)}, {theirs, at(2, "10.9.0.2", 24)}, false, true}),
            "10.9.0.1-10.9.0.2 10.8.0.1-10.8.0.2 ")
      << "the cheapest comes first";
}

TEST(Matching, NothingAgainstSomething) {
  EXPECT_TRUE(match({{}, {at(1, "10.9.0.1", 24)}, false, true}).pairs.empty());
  EXPECT_TRUE(match({{at(1, "10.9.0.1", 24)}, {}, false, true}).pairs.empty());
  EXPECT_NE(explain({{at(1, "10.9.0.1", 24)}, {}, false, true}, {}).find("peer published no"),
            std::string::npos);
}

std::vector<Candidate> random_list(std::mt19937& random, std::size_t most, unsigned base) {
  std::vector<Candidate> list;
  const std::size_t count = random() % (most + 1);
  for (std::size_t i = 0; i < count; ++i) {
    static constexpr std::uint32_t kProperties[] = {
        0, 0, 0, interfaces::kBridge, interfaces::kNoCarrier, interfaces::kTunnel};
    const std::string address = random() % 4 == 0
                                    ? fmt::format("2001:db8:{}::{}", random() % 3, base + i)
                                    : fmt::format("10.{}.{}.{}", random() % 2, random() % 3, base + i);
    list.push_back(at(static_cast<std::uint32_t>(random() % 6), address, address[0] == '2' ? 48 : 24,
                      kProperties[random() % 6], 1000u << random() % 5));
  }
  return list;
}

std::vector<interfaces::Route> random_routes(std::mt19937& random) {
  std::vector<interfaces::Route> routes;
  for (std::size_t count = random() % 5; count > 0; --count) {
    static constexpr unsigned kPrefixes[] = {0, 8, 16, 24};
    routes.push_back(route(fmt::format("10.{}.{}.0", random() % 2, random() % 3), kPrefixes[random() % 4],
                           static_cast<std::uint32_t>(random() % 6), random() % 2 == 0));
  }
  return routes;
}

Question random_question(std::mt19937& random, std::size_t most) {
  const unsigned base = random() % 3 ? 100 : 1;  // sometimes with equal addresses
  return {random_list(random, most, 1),
          random_list(random, most, base),
          random() % 5 == 0,
          true,
          random_routes(random),
          random_routes(random)};
}

// As the peer asks it; the order of a list does not matter.
Question mirrored(const Question& question, std::mt19937& random) {
  Question other = question;
  std::swap(other.ours, other.theirs);
  std::swap(other.our_routes, other.their_routes);
  other.we_are_lower = !question.we_are_lower;
  for (auto* list : {&other.ours, &other.theirs}) std::shuffle(list->begin(), list->end(), random);
  for (auto* list : {&other.our_routes, &other.their_routes}) {
    std::shuffle(list->begin(), list->end(), random);
  }
  return other;
}

TEST(Matching, TheOtherSideSeesTheMirrorImage) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    const Question question = random_question(random, 7);
    const Question other = mirrored(question, random);
    std::vector<std::tuple<IpAddress, IpAddress, std::uint32_t>> here;
    std::vector<std::tuple<IpAddress, IpAddress, std::uint32_t>> there;
    for (const Pair& p : match(question).pairs) {
      here.emplace_back(question.ours[p.ours].address, question.theirs[p.theirs].address, p.cost);
    }
    for (const Pair& p : match(other).pairs) {
      there.emplace_back(other.theirs[p.theirs].address, other.ours[p.ours].address, p.cost);
    }
    ASSERT_EQ(here, there) << "round " << round;
  }
}

bool usable(const Judged& judged) {
  return judged.verdict == Verdict::kPaired || judged.verdict == Verdict::kOutmatched ||
         judged.verdict == Verdict::kBetterAddress || judged.verdict == Verdict::kDoubtful;
}

// The edges of least doubt between interfaces, each with its best pair of addresses.
CostTable edges(const Question& question, const Outcome& outcome) {
  std::uint32_t least = ~0u;
  for (const Judged& judged : outcome.judged) {
    if (usable(judged)) least = std::min(least, judged.doubt);
  }
  CostTable table(6, 6);  // random_list numbers the interfaces 0 to 5
  for (const Judged& judged : outcome.judged) {
    if (!usable(judged) || judged.doubt != least) continue;
    auto& edge = table.at(question.ours[judged.ours].nic, question.theirs[judged.theirs].nic);
    edge = std::min(edge.value_or(~0u), judged.cost);
  }
  return table;
}

TEST(Matching, TheWholeAnswerEqualsBruteForce) {
  std::mt19937 random(6);
  for (int round = 0; round < 1000; ++round) {
    const Question question = random_question(random, 12);
    const Outcome outcome = match(question);
    Total got;
    for (const Pair& pair : outcome.pairs) {
      ++got.pairs;
      got.cost += pair.cost;
    }
    const Total expected = brute_force(edges(question, outcome));
    ASSERT_EQ(got.pairs, expected.pairs) << "round " << round;
    ASSERT_EQ(got.cost, expected.cost) << "round " << round;
    const auto candidate = std::any_of(outcome.judged.begin(), outcome.judged.end(), &usable);
    ASSERT_EQ(candidate, !outcome.pairs.empty()) << "the last candidate is never dropped";
  }
}

TEST(Matching, EveryCombinationIsJudgedAndPairsAreDisjoint) {
  std::mt19937 random(9);
  for (int round = 0; round < 500; ++round) {
    const Question question{random_list(random, 8, 1), random_list(random, 8, 50), false, true};
    const Outcome outcome = match(question);
    EXPECT_EQ(outcome.judged.size(), question.ours.size() * question.theirs.size());
    std::vector<std::uint32_t> ours;
    std::vector<std::uint32_t> theirs;
    for (const Pair& pair : outcome.pairs) {
      ours.push_back(question.ours[pair.ours].nic);
      theirs.push_back(question.theirs[pair.theirs].nic);
    }
    for (auto* list : {&ours, &theirs}) {
      std::sort(list->begin(), list->end());
      EXPECT_EQ(std::adjacent_find(list->begin(), list->end()), list->end());
    }
  }
}

}  // namespace
}  // namespace hawser::matching
