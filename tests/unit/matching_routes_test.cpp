// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What routes change in the matching, and how all of it is explained.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "framework/interfaces/routes.hpp"
#include "framework/matching/matching.hpp"
#include "tests/unit/matching_questions.hpp"

namespace hawser::matching {
namespace {

using interfaces::IpAddress;
using namespace testing;

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

}  // namespace
}  // namespace hawser::matching
