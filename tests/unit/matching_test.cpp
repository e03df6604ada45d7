// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/matching/matching.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "framework/matching/assignment.hpp"

namespace hawser::matching {
namespace {

using interfaces::IpAddress;

Candidate at(std::uint32_t nic, const std::string& address, unsigned prefix, std::uint32_t properties = 0,
             std::uint32_t speed = 10'000) {
  Candidate c;
  c.nic = nic;
  c.address = *IpAddress::parse(address);
  c.prefix = prefix;
  c.properties = properties;
  c.speed_mbps = speed;
  return c;
}

std::string text(const Question& question) {
  std::string result;
  for (const Pair& pair : match(question).pairs) {
    result +=
        question.ours[pair.ours].address.text() + "-" + question.theirs[pair.theirs].address.text() + " ";
  }
  return result;
}

Verdict verdict_of(const Question& question, std::size_t ours, std::size_t theirs) {
  for (const Judged& judged : match(question).judged) {
    if (judged.ours == ours && judged.theirs == theirs) return judged.verdict;
  }
  ADD_FAILURE() << "not judged";
  return Verdict::kPaired;
}

struct Best {
  std::size_t pairs = 0;
  std::uint64_t cost = 0;
};

// Tries everything.
Best brute_force(const CostTable& table, std::size_t row, std::vector<bool>& used) {
  if (row == table.rows) return {};
  Best best = brute_force(table, row + 1, used);
  for (std::size_t column = 0; column < table.columns; ++column) {
    if (used[column] || !table.at(row, column)) continue;
    used[column] = true;
    Best with = brute_force(table, row + 1, used);
    used[column] = false;
    ++with.pairs;
    with.cost += *table.at(row, column);
    if (with.pairs > best.pairs || (with.pairs == best.pairs && with.cost < best.cost)) best = with;
  }
  return best;
}

CostTable random_table(std::mt19937& random, std::size_t rows, std::size_t columns, unsigned most) {
  CostTable table(rows, columns);
  for (auto& cost : table.costs) {
    if (random() % 4 != 0) cost = random() % most;
  }
  return table;
}

TEST(Assignment, EqualsBruteForce) {
  std::mt19937 random(7);
  for (int round = 0; round < 600; ++round) {
    const std::size_t rows = random() % 8;
    const std::size_t columns = random() % 8;
    const CostTable table = random_table(random, rows, columns, round % 2 ? 1'000'000'000u : 3u);
    std::vector<bool> used(columns, false);
    const Best expected = brute_force(table, 0, used);
    Best got;
    std::vector<bool> taken(columns, false);
    const auto assigned = assign(table);
    ASSERT_EQ(assigned.size(), rows);
    for (std::size_t row = 0; row < rows; ++row) {
      if (!assigned[row]) continue;
      ASSERT_FALSE(taken[*assigned[row]]);
      ASSERT_TRUE(table.at(row, *assigned[row]));
      taken[*assigned[row]] = true;
      ++got.pairs;
      got.cost += *table.at(row, *assigned[row]);
    }
    ASSERT_EQ(got.pairs, expected.pairs) << rows << "x" << columns;
    ASSERT_EQ(got.cost, expected.cost) << rows << "x" << columns;
  }
}

TEST(Assignment, EqualsBruteForceAtEight) {
  std::mt19937 random(11);
  for (int round = 0; round < 4; ++round) {
    const CostTable table = random_table(random, 8, 8, 50);
    std::vector<bool> used(8, false);
    const Best expected = brute_force(table, 0, used);
    Best got;
    const auto assigned = assign(table);
    for (std::size_t row = 0; row < 8; ++row) {
      if (!assigned[row]) continue;
      ++got.pairs;
      got.cost += *table.at(row, *assigned[row]);
    }
    ASSERT_EQ(got.pairs, expected.pairs);
    ASSERT_EQ(got.cost, expected.cost);
  }
}

TEST(Assignment, SixtyFourSquareNeedsFewSteps) {
  std::mt19937 random(3);
  CostTable table(64, 64);
  for (auto& cost : table.costs) cost = random();
  for (const auto& column : assign(table)) EXPECT_TRUE(column);
}

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

TEST(Matching, TheOtherSideSeesTheMirrorImage) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const auto ours = random_list(random, 7, 1);
    const auto theirs = random_list(random, 7, round % 3 ? 100 : 1);  // sometimes with equal addresses
    const bool same_node = round % 5 == 0;
    Question mirrored{theirs, ours, same_node, false};
    std::shuffle(mirrored.ours.begin(), mirrored.ours.end(), random);  // the order of a list does not matter
    const Question question{ours, theirs, same_node, true};
    std::vector<std::pair<IpAddress, IpAddress>> here;
    std::vector<std::pair<IpAddress, IpAddress>> there;
    for (const Pair& p : match(question).pairs) {
      here.emplace_back(question.ours[p.ours].address, question.theirs[p.theirs].address);
    }
    for (const Pair& p : match(mirrored).pairs) {
      there.emplace_back(mirrored.theirs[p.theirs].address, mirrored.ours[p.ours].address);
    }
    ASSERT_EQ(here, there) << "round " << round;
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
