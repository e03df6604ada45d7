// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The matching of what the kernel really tells of two hosts; each is a network namespace, one after the
// other.
#include <gtest/gtest.h>

#include "framework/interfaces/enumerate.hpp"
#include "framework/interfaces/filter.hpp"
#include "framework/interfaces/routes.hpp"
#include "framework/matching/matching.hpp"
#include "tests/unit/interfaces_namespace.hpp"

namespace hawser::matching {
namespace {

struct Host {
  std::vector<Candidate> candidates;
  std::vector<interfaces::Route> routes;
};

// Makes a host by these commands; answers why it could not.
std::string look_at(const std::vector<std::string>& commands, Host& host) {
  return interfaces::testing::in_new_namespace([&](const auto& run) {
    for (const std::string& command : commands) ASSERT_TRUE(run(command)) << command;
    const auto all = interfaces::enumerate();
    const auto routes = interfaces::routes();
    ASSERT_TRUE(all && routes);
    for (const auto& one : interfaces::without_needless(*all)) host.candidates.push_back(candidate_of(one));
    host.routes = *routes;
  });
}

std::string cable(const std::string& name, const std::string& address) {
  return "ip link add " + name + " type veth peer name p" + name + " && ip link set p" + name +
         " up && ip link set " + name + " up && ip addr add " + address + " dev " + name;
}

// Not every kernel has bridges; a cable whose other end is down leads nowhere either.
std::string idle_bridge(const std::string& name, const std::string& address) {
  return "(ip link add " + name + " type bridge || ip link add " + name + " type veth peer name p" + name +
         ") && ip link set " + name + " up && ip addr add " + address + " dev " + name;
}

std::string pairs(const Host& a, const Host& b, bool with_routes) {
  Question question{a.candidates, b.candidates, false, true};
  if (with_routes) {
    question.our_routes = a.routes;
    question.their_routes = b.routes;
  }
  std::string text;
  for (const Pair& pair : match(question).pairs) {
    text += question.ours[pair.ours].address.text() + "-" + question.theirs[pair.theirs].address.text() + " ";
  }
  return text;
}

// Two rails, both in another network at the other host; the second one by a table of its own.
TEST(TwoHosts, BehindRoutersFindTheirRails) {
  Host a;
  Host b;
  const auto rails = [](const std::string& rack, const std::string& bridge) {
    return std::vector<std::string>{idle_bridge("docker0", bridge),
                                    cable("e0", "10.1." + rack + ".1/24"),
                                    cable("e1", "10.2." + rack + ".1/24"),
                                    "ip route add 10.1.0.0/16 via 10.1." + rack + ".254",
                                    "ip route add 10.2.0.0/16 via 10.2." + rack + ".254 table 102",
                                    "ip rule add from 10.2." + rack + ".1 table 102",
                                    "ip route add default via 10.1." + rack + ".254"};
  };
  if (const auto why = look_at(rails("5", "172.17.0.1/16"), a); !why.empty()) GTEST_SKIP() << why;
  look_at(rails("8", "172.18.0.1/16"), b);
  EXPECT_EQ(pairs(a, b, true), "10.1.5.1-10.1.8.1 10.2.5.1-10.2.8.1 ");
}

// What a default installation has: bridges that lead nowhere, and one Ethernet in one network.
TEST(TwoHosts, UseTheEthernetAmongBridges) {
  Host a;
  Host b;
  const auto commands = [](const std::string& last, const std::string& other) {
    return std::vector<std::string>{idle_bridge("docker0", "172.17.0.1/16"), idle_bridge("virbr0", other),
                                    cable("e0", "10.9.0." + last + "/24")};
  };
  if (const auto why = look_at(commands("1", "192.168.122.1/24"), a); !why.empty()) GTEST_SKIP() << why;
  look_at(commands("2", "192.168.123.1/24"), b);
  for (const bool with_routes : {false, true}) EXPECT_EQ(pairs(a, b, with_routes), "10.9.0.1-10.9.0.2 ");
}

}  // namespace
}  // namespace hawser::matching
