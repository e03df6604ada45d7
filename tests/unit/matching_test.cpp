// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/matching/matching.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "framework/interfaces/routes.hpp"
#include "tests/unit/matching_brute_force.hpp"

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

interfaces::Route route(const std::string& network, unsigned prefix, std::uint32_t nic, bool direct = false) {
  return {*IpAddress::parse(network), prefix, nic, direct};
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

// One interface each, in private networks that are not the same.
struct Routed {
  Question question{{at(1, "10.1.0.1", 24)}, {at(7, "10.2.0.1", 24)}, false, true};

  Judged judged() const { return match(question).judged[0]; }
  std::string words() const { return describe(question, judged()); }
};

TEST(Routes, SpecificOnesOfBothSidesAreNoReasonToDoubt) {
  Routed r;
  EXPECT_EQ(r.judged().way, Way::kUnknown);
  const std::uint32_t unknown = r.judged().doubt;
  EXPECT_GT(unknown, 0u);
  r.question.our_routes = {route("0.0.0.0", 0, 2), route("10.0.0.0", 8, 1)};
  EXPECT_EQ(r.judged().way, Way::kRouted) << "what the peer does not tell counts for nothing";
  r.question.their_routes = {route("10.1.0.0", 16, 7), route("0.0.0.0", 0, 9)};
  EXPECT_EQ(r.judged().way, Way::kRouted);
  EXPECT_EQ(r.judged().doubt, 0u);
  EXPECT_EQ(r.words(), "10 Gbit/s, routed");
}

TEST(Routes, DefaultRoutesAreLess) {
  Routed r;
  const std::uint32_t unknown = r.judged().doubt;
  r.question.our_routes = {route("0.0.0.0", 0, 1)};
  r.question.their_routes = {route("10.1.0.0", 16, 7)};
  EXPECT_EQ(r.judged().way, Way::kDefaultRoute) << "the worse of the two";
  EXPECT_GT(r.judged().doubt, 0u);
  EXPECT_LT(r.judged().doubt, unknown);
  r.question.ours[0].address = *IpAddress::parse("8.8.1.1");
  r.question.theirs[0].address = *IpAddress::parse("9.9.1.1");
  r.question.their_routes = {route("0.0.0.0", 0, 7)};
  EXPECT_EQ(r.judged().doubt, 0u) << "public addresses are made for that";
}

TEST(Routes, AnotherInterfaceOrNoneIsDoubtful) {
  Routed r;
  r.question.our_routes = {route("0.0.0.0", 0, 1), route("10.2.0.0", 24, 3)};
  EXPECT_EQ(r.judged().way, Way::kElsewhere) << "the longest prefix decides";
  EXPECT_EQ(r.words(), "10 Gbit/s, routed through another interface");
  const std::uint32_t elsewhere = r.judged().doubt;
  r.question.our_routes = {route("10.9.0.0", 16, 1)};
  EXPECT_EQ(r.judged().way, Way::kNoRoute);
  EXPECT_GT(r.judged().doubt, elsewhere);
  EXPECT_EQ(r.words(), "10 Gbit/s, no route");
  EXPECT_EQ(match(r.question).pairs.size(), 1u) << "still the only way there is";
}

TEST(Routes, SeveralWaysOfOneLengthAreAllGood) {
  Routed r;
  r.question.our_routes = {route("10.2.0.0", 16, 3), route("10.2.0.0", 16, 1), route("10.2.0.0", 16, 4)};
  EXPECT_EQ(r.judged().way, Way::kRouted);
  r.question.our_routes.push_back(route("10.2.0.0", 16, 1, true));
  EXPECT_EQ(r.judged().way, Way::kOnLink);
}

TEST(Routes, ACutTableDoesNotTellWhatIsNotThere) {
  Routed r;
  for (std::size_t i = 0; i < interfaces::kMaxRoutes; ++i) {
    r.question.our_routes.push_back(route(fmt::format("172.16.{}.0", i % 256), 24, 1));
  }
  EXPECT_EQ(r.judged().way, Way::kUnknown);
  r.question.our_routes.pop_back();
  EXPECT_EQ(r.judged().way, Way::kNoRoute);
}

TEST(Routes, OneNetworkIsBestWhateverTablesSay) {
  Question q{{at(1, "10.9.0.1", 24), at(2, "10.9.0.2", 24)}, {at(1, "10.9.0.3", 24)}, false, true};
  q.our_routes = {route("10.9.0.0", 24, 1, true)};  // the second interface sends through the first
  q.their_routes = {route("10.9.0.0", 24, 1, true)};
  EXPECT_EQ(text(q), "10.9.0.1-10.9.0.3 ");
  EXPECT_EQ(match(q).judged[1].doubt, 0u);
  EXPECT_EQ(verdict_of(q, 1, 0), Verdict::kOutmatched);
  q.our_routes = {route("10.77.0.0", 24, 1, true)};
  EXPECT_EQ(match(q).judged[0].way, Way::kSameNetwork) << "the route may be about to come";
  EXPECT_EQ(match(q).judged[0].doubt, 0u);
}

TEST(Routes, LinksAreNotToldApartByTables) {
  Question q{{at(1, "fe80::1", 64)}, {at(1, "fe80::2", 64)}, false, true};
  const Judged before = match(q).judged[0];
  q.our_routes = {route("10.9.0.0", 24, 1, true)};
  q.their_routes = {route("fd00::", 8, 3)};
  EXPECT_EQ(match(q).judged[0].doubt, before.doubt);
  EXPECT_EQ(describe(q, before), "10 Gbit/s, link-local");
}

// Two rails, each a network of its own in each rack, with a router between the racks.
TEST(Routes, RailsOfRoutedRacksFindEachOther) {
  Question q{{at(2, "10.1.5.1", 24), at(3, "10.2.5.1", 24)},
             {at(2, "10.2.8.1", 24), at(3, "10.1.8.1", 24)},  // cabled the other way round
             false,
             true};
  q.our_routes = {route("0.0.0.0", 0, 2), route("10.1.0.0", 16, 2), route("10.2.0.0", 16, 3)};
  q.their_routes = {route("0.0.0.0", 0, 3), route("10.1.0.0", 16, 3), route("10.2.0.0", 16, 2)};
  EXPECT_EQ(text(q), "10.1.5.1-10.1.8.1 10.2.5.1-10.2.8.1 ");
}

// What a default installation of two hosts looks like; nothing but the Ethernet joins them, through a router.
TEST(Routes, BridgesOfVirtualMachinesAndContainersAreNotWays) {
  Question q{{at(2, "10.1.0.1", 24), at(3, "172.17.0.1", 16), at(4, "192.168.122.1", 24)},
             {at(2, "10.2.0.1", 24), at(3, "172.18.0.1", 16), at(4, "192.168.123.1", 24)},
             false,
             true};
  q.our_routes = {route("0.0.0.0", 0, 2), route("10.1.0.0", 24, 2, true), route("172.17.0.0", 16, 3, true),
                  route("192.168.122.0", 24, 4, true)};
  q.their_routes = {route("0.0.0.0", 0, 2), route("10.2.0.0", 24, 2, true), route("172.18.0.0", 16, 3, true),
                    route("192.168.123.0", 24, 4, true)};
  EXPECT_EQ(text(q), "10.1.0.1-10.2.0.1 ");
}

TEST(Explanation, SaysWhatCountedInWords) {
  using namespace interfaces;
  Question q{
      {at(1, "10.9.0.1", 24, 0, 2500), at(2, "172.17.0.1", 16, kBridge | kBridgeWithoutPorts | kNoCarrier)},
      {at(1, "10.9.0.2", 24, 0, 100'000), at(2, "100.64.0.1", 32, kTunnel | kPointToPoint)},
      false,
      true};
  q.ours[0].locality = Locality::kFar;
  const Outcome outcome = match(q);
  EXPECT_EQ(describe(q, outcome.judged[0]), "2500 Mbit/s, far NUMA node (ours), same network");
  EXPECT_EQ(explain(q, outcome, 1),
            "10.9.0.1 - 100.64.0.1: another pair has less against it (2500 Mbit/s, far NUMA node (ours), "
            "different networks, routes unknown, tunnel (theirs), point-to-point (theirs)); and 2 more");
  q.ours[0].speed_mbps = q.theirs[0].speed_mbps = 0;
  q.theirs[0].locality = Locality::kFar;
  EXPECT_EQ(describe(q, match(q).judged[0]), "unknown speed, far NUMA node (both ends), same network");
  q.same_node = true;
  EXPECT_EQ(describe(q, match(q).judged[1]), "10 Gbit/s, far NUMA node (ours), same node");
  q.theirs[1] = at(3, "fd00::1", 64);
  EXPECT_EQ(describe(q, match(q).judged[1]), "IPv4 against IPv6");
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
    testing::Total got;
    for (const Pair& pair : outcome.pairs) {
      ++got.pairs;
      got.cost += pair.cost;
    }
    const testing::Total expected = testing::brute_force(edges(question, outcome));
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
