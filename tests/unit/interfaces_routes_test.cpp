// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/routes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <random>

#include "framework/interfaces/route_dump.hpp"
#include "tests/unit/interfaces_namespace.hpp"

namespace hawser::interfaces {
namespace {

constexpr std::uint32_t kSequence = 7;

std::string bytes_of(const auto& plain) {
  return std::string(reinterpret_cast<const char*>(&plain), sizeof plain);
}

std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

std::string attribute(unsigned short type, const std::string& body) {
  return padded(bytes_of(rtattr{static_cast<unsigned short>(sizeof(rtattr) + body.size()), type}) + body);
}

std::string hop(int interface, const std::string& attributes = "", unsigned char flags = 0) {
  rtnexthop header{};
  header.rtnh_len = static_cast<unsigned short>(sizeof header + attributes.size());
  header.rtnh_flags = flags;
  header.rtnh_ifindex = interface;
  return padded(bytes_of(header) + attributes);
}

std::string message(unsigned short type, const std::string& body, unsigned short flags = NLM_F_MULTI,
                    std::uint32_t sequence = kSequence) {
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(sizeof header + body.size());
  header.nlmsg_type = type;
  header.nlmsg_flags = flags;
  header.nlmsg_seq = sequence;
  return padded(bytes_of(header) + body);
}

rtmsg unicast(unsigned prefix, unsigned char family = AF_INET) {
  rtmsg route{};
  route.rtm_family = family;
  route.rtm_dst_len = static_cast<unsigned char>(prefix);
  route.rtm_table = RT_TABLE_MAIN;
  route.rtm_type = RTN_UNICAST;
  return route;
}

std::string address(const std::string& text) {
  const IpAddress ip = *IpAddress::parse(text);
  return std::string(reinterpret_cast<const char*>(ip.bytes.data()), ip.bits() / 8);
}

std::string out_of(int interface) {
  return attribute(RTA_OIF, bytes_of(interface));
}

std::string route(const rtmsg& header, const std::string& attributes) {
  return message(RTM_NEWROUTE, bytes_of(header) + attributes);
}

std::string done() {
  return message(NLMSG_DONE, bytes_of(0));
}

std::string text(const std::vector<Route>& routes) {
  std::string result;
  for (const Route& r : routes) {
    result +=
        fmt::format("{}/{}{}{} ", r.network.text(), r.prefix, r.direct ? " dev " : " via ", r.interface);
  }
  return result;
}

RouteDump read(const std::string& bytes) {
  RouteDump dump;
  read_datagram(bytes, kSequence, dump);
  return dump;
}

TEST(RouteDumpTest, ReadsBothFamiliesAndWhetherThereIsAGateway) {
  const RouteDump dump =
      read(route(unicast(0), attribute(RTA_GATEWAY, address("10.9.0.254")) + out_of(2)) +
           route(unicast(24), attribute(RTA_DST, address("10.9.0.0")) + out_of(70'000)) +
           route(unicast(64, AF_INET6), attribute(RTA_DST, address("fd00:1::")) + out_of(3)) + done());
  EXPECT_TRUE(dump.done);
  EXPECT_FALSE(dump.malformed);
  EXPECT_EQ(text(dump.routes), "0.0.0.0/0 via 2 10.9.0.0/24 dev 70000 fd00:1::/64 dev 3 ");
}

TEST(RouteDumpTest, OneEntryForEachHop) {
  const std::string hops =
      hop(2, attribute(RTA_GATEWAY, address("10.1.0.1"))) + hop(3) + hop(4, "", RTNH_F_DEAD);
  const RouteDump dump = read(
      route(unicast(16), attribute(RTA_DST, address("10.8.0.0")) + attribute(RTA_MULTIPATH, hops)) + done());
  EXPECT_EQ(text(dump.routes), "10.8.0.0/16 via 2 10.8.0.0/16 dev 3 ");
}

TEST(RouteDumpTest, LeavesOutWhatIsNotAWayToOthers) {
  rtmsg other_table = unicast(24);
  other_table.rtm_table = RT_TABLE_LOCAL;
  rtmsg black_hole = unicast(24);
  black_hole.rtm_type = RTN_BLACKHOLE;
  rtmsg for_some_sources = unicast(24);
  for_some_sources.rtm_src_len = 8;
  rtmsg cached = unicast(24);
  cached.rtm_flags = RTM_F_CLONED;
  const std::string ten = attribute(RTA_DST, address("10.9.0.0"));
  const RouteDump dump =
      read(route(other_table, ten + out_of(2)) + route(black_hole, ten + out_of(2)) +
           route(for_some_sources, ten + out_of(2)) + route(cached, ten + out_of(2)) +
           route(unicast(24), ten + out_of(1)) + route(unicast(24), ten) +
           route(unicast(64, AF_INET6), attribute(RTA_DST, address("fe80::")) + out_of(2)) +
           route(unicast(8, AF_MPLS), out_of(2)) + message(RTM_NEWLINK, "what") + done());
  EXPECT_TRUE(dump.done);
  EXPECT_FALSE(dump.malformed);
  EXPECT_EQ(text(dump.routes), "");
}

std::string rule(unsigned char source_bits, unsigned char table, std::uint32_t wide_table,
                 unsigned char action = FR_ACT_TO_TBL, std::uint32_t flags = 0) {
  fib_rule_hdr header{};
  header.family = AF_INET;
  header.src_len = source_bits;
  header.table = table;
  header.action = action;
  header.flags = flags;
  return message(RTM_NEWRULE, bytes_of(header) + attribute(FRA_TABLE, bytes_of(wide_table)) +
                                  attribute(FRA_PRIORITY, "1234"));
}

TEST(RouteDumpTest, RulesTellWhichTablesAreChosenBySource) {
  const RouteDump dump =
      read(rule(0, 254, 254) + rule(32, 7, 7) + rule(24, 0, 5'000) + rule(32, 8, 8, FR_ACT_PROHIBIT) +
           rule(32, 9, 9, FR_ACT_TO_TBL, FIB_RULE_INVERT));
  EXPECT_EQ(dump.source_tables, (std::set<std::uint32_t>{7, 5'000}));
  EXPECT_TRUE(read(message(RTM_NEWRULE, "short")).malformed);
}

TEST(RouteDumpTest, TablesOfAnyNumberAreTakenIfWanted) {
  RouteDump dump;
  dump.tables = {254, 5'000};
  rtmsg wide = unicast(0);
  wide.rtm_table = RT_TABLE_COMPAT;
  const std::string bytes = route(wide, attribute(RTA_TABLE, bytes_of(5'000)) + out_of(2)) +
                            route(wide, attribute(RTA_TABLE, bytes_of(5'001)) + out_of(3)) +
                            route(unicast(0), attribute(RTA_TABLE, bytes_of(254)) + out_of(4));
  read_datagram(bytes, kSequence, dump);
  EXPECT_EQ(text(dump.routes), "0.0.0.0/0 dev 2 0.0.0.0/0 dev 4 ");
}

TEST(RouteDumpTest, HostBitsAreCleared) {
  const RouteDump dump =
      read(route(unicast(20), attribute(RTA_DST, address("10.9.255.7")) + out_of(2)) +
           route(unicast(33, AF_INET6), attribute(RTA_DST, address("2001:db8:ffff::9")) + out_of(2)));
  EXPECT_EQ(text(dump.routes), "10.9.240.0/20 dev 2 2001:db8:8000::/33 dev 2 ");
}

TEST(RouteDumpTest, NoticesInterruptionErrorsAndOtherRequests) {
  EXPECT_TRUE(read(message(NLMSG_DONE, bytes_of(0), NLM_F_MULTI | NLM_F_DUMP_INTR)).interrupted);
  const RouteDump refused = read(message(NLMSG_ERROR, bytes_of(-EPERM)));
  EXPECT_TRUE(refused.done);
  EXPECT_EQ(refused.error, EPERM);
  EXPECT_EQ(read(message(NLMSG_DONE, bytes_of(-ENOBUFS))).error, ENOBUFS);
  EXPECT_FALSE(read(message(NLMSG_DONE, bytes_of(0), NLM_F_MULTI, kSequence + 1)).done);
}

TEST(RouteDumpTest, LengthsThatCannotBeEndTheReading) {
  const std::string good = attribute(RTA_DST, address("10.9.0.0")) + out_of(2);
  EXPECT_TRUE(read("xyz").malformed);
  EXPECT_TRUE(read(message(RTM_NEWROUTE, "short")).malformed);
  EXPECT_TRUE(read(route(unicast(33), good)).malformed) << "more bits than an address has";
  EXPECT_TRUE(read(route(unicast(24), out_of(2))).malformed) << "a prefix without a network";
  EXPECT_TRUE(read(route(unicast(24), attribute(RTA_DST, "abc") + out_of(2))).malformed);
  EXPECT_TRUE(read(route(unicast(24), attribute(RTA_DST, address("fd00::")) + out_of(2))).malformed);
  EXPECT_TRUE(read(route(unicast(0), attribute(RTA_OIF, "ab"))).malformed);
  EXPECT_TRUE(read(route(unicast(0), bytes_of(rtattr{200, RTA_OIF}))).malformed);
  EXPECT_TRUE(read(route(unicast(0), bytes_of(rtattr{0, RTA_OIF}))).malformed) << "would never end";
  EXPECT_TRUE(read(route(unicast(0), attribute(RTA_MULTIPATH, hop(2).substr(0, 5)))).malformed);
}

// Every cut and many changed bytes of a good datagram; the sanitizers watch.
TEST(RouteDumpTest, AnyBytesAreSafe) {
  const std::string good =
      route(unicast(16),
            attribute(RTA_DST, address("10.8.0.0")) +
                attribute(RTA_MULTIPATH, hop(2, attribute(RTA_GATEWAY, address("10.1.0.1"))) + hop(3))) +
      route(unicast(64, AF_INET6), attribute(RTA_DST, address("fd00:1::")) + out_of(3)) + rule(32, 7, 7) +
      done();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(read(good.substr(0, size)).done) << size;
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    for (int change = 0; change < 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    for (const Route& r : read(bytes).routes) EXPECT_LE(r.prefix, r.network.bits());
  }
}

Route entry(const std::string& network, unsigned prefix, std::uint32_t interface, bool direct = true) {
  return {*IpAddress::parse(network), prefix, interface, direct};
}

TEST(InOrder, SortsAndDropsDuplicates) {
  EXPECT_EQ(text(in_order({entry("10.0.0.0", 8, 2), entry("10.0.0.0", 24, 5), entry("0.0.0.0", 0, 2, false),
                           entry("fd00::", 8, 1), entry("10.0.0.0", 8, 2, false), entry("10.0.0.0", 8, 2)},
                          10)),
            "0.0.0.0/0 via 2 10.0.0.0/24 dev 5 10.0.0.0/8 dev 2 fd00::/8 dev 1 ");
}

TEST(InOrder, KeepsTheWidestOfTooMany) {
  std::vector<Route> many;
  for (int i = 0; i < 200; ++i) many.push_back(entry(fmt::format("10.0.{}.0", i), 24, 2));
  many.push_back(entry("0.0.0.0", 0, 3));
  many.push_back(entry("::", 0, 3));
  many.push_back(entry("172.16.0.0", 12, 3));
  EXPECT_EQ(text(in_order(many, 4)), "0.0.0.0/0 dev 3 10.0.0.0/24 dev 2 172.16.0.0/12 dev 3 ::/0 dev 3 ");
}

TEST(Routes, OfThisNamespaceAreReadable) {
  const auto all = routes();
  ASSERT_TRUE(all) << all.error().text;
  for (const Route& r : *all) EXPECT_NE(::if_nametoindex("lo"), r.interface);
}

TEST(Routes, OfANamespaceOfOurOwn) {
  std::string found;
  const std::string why = testing::in_new_namespace([&](const auto& run) {
    ASSERT_TRUE(run("ip link add e0 index 70001 type veth peer name p0 index 70009"));
    ASSERT_TRUE(run("ip link add e1 index 70002 type veth peer name p1 index 70010"));
    ASSERT_TRUE(run("ip link set e0 up && ip link set p0 up && ip link set e1 up && ip link set p1 up"));
    ASSERT_TRUE(run("ip addr add 10.9.0.1/24 dev e0 && ip addr add 10.9.1.1/24 dev e1"));
    ASSERT_TRUE(run("ip route add default via 10.9.0.254"));
    ASSERT_TRUE(run("ip route add 10.77.0.0/16 nexthop via 10.9.0.2 nexthop via 10.9.1.2"));
    ASSERT_TRUE(run("ip route add 10.78.0.0/16 via 10.9.1.3 && ip route add prohibit 10.79.0.0/16"));
    ASSERT_TRUE(run("ip route add 10.80.0.0/16 dev lo && ip route add 10.81.0.0/16 dev e0 table 77"));
    const auto all = routes();
    ASSERT_TRUE(all) << all.error().text;
    found = text(*all);
  });
  if (!why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(found,
            "0.0.0.0/0 via 70001 10.9.0.0/24 dev 70001 10.9.1.0/24 dev 70002 10.77.0.0/16 via 70001 "
            "10.77.0.0/16 via 70002 10.78.0.0/16 via 70002 ");
}

TEST(Routes, OfTablesThatAreChosenBySource) {
  std::string found;
  const std::string why = testing::in_new_namespace([&](const auto& run) {
    ASSERT_TRUE(run("ip link add e0 index 71 type veth peer name e1 index 72"));
    ASSERT_TRUE(run("ip link set e0 up && ip link set e1 up"));
    ASSERT_TRUE(run("ip addr add 10.1.0.1/24 dev e0 && ip addr add 10.2.0.1/24 dev e1"));
    ASSERT_TRUE(run("ip route add default via 10.1.0.254"));
    ASSERT_TRUE(run("ip route add default via 10.2.0.254 table 1002"));
    ASSERT_TRUE(run("ip route add default via 10.2.0.253 dev e1 table 1003"));
    if (!run("ip rule add from 10.2.0.1 table 1002 && ip rule add fwmark 9 table 1003")) return;
    const auto all = routes();
    ASSERT_TRUE(all) << all.error().text;
    found = text(*all);
  });
  if (!why.empty()) GTEST_SKIP() << why;
  if (found.empty()) GTEST_SKIP() << "no rules here";
  EXPECT_EQ(found, "0.0.0.0/0 via 71 0.0.0.0/0 via 72 10.1.0.0/24 dev 71 10.2.0.0/24 dev 72 ");
}

TEST(Routes, OfTheNewerFamilyToo) {
  std::string found;
  const std::string why = testing::in_new_namespace([&](const auto& run) {
    ASSERT_TRUE(run("ip link add e0 index 71 type veth peer name p0 index 72"));
    ASSERT_TRUE(run("ip link set e0 up && ip link set p0 up"));
    if (!run("ip -6 addr add fd00:9::1/64 dev e0 nodad")) return;  // a kernel without IPv6
    ASSERT_TRUE(run("ip -6 route add fd00:77::/32 nexthop via fd00:9::2 nexthop via fd00:9::3"));
    ASSERT_TRUE(run("ip -6 route add default via fd00:9::fe"));
    const auto all = routes();
    ASSERT_TRUE(all) << all.error().text;
    found = text(*all);
  });
  if (!why.empty()) GTEST_SKIP() << why;
  if (found.empty()) GTEST_SKIP() << "no IPv6 here";
  EXPECT_EQ(found, "::/0 via 71 fd00:9::/64 dev 71 fd00:77::/32 via 71 ");
}

TEST(Routes, ManyAreCutToTheWidest) {
  std::size_t count = 0;
  bool has_default = false;
  const std::string why = testing::in_new_namespace([&](const auto& run) {
    ASSERT_TRUE(run("ip link add e0 type veth peer name p0 && ip link set e0 up && ip link set p0 up"));
    ASSERT_TRUE(run("ip addr add 10.9.0.1/24 dev e0 && ip route add default via 10.9.0.254"));
    ASSERT_TRUE(
        run("for a in $(seq 0 19); do for b in $(seq 0 249); do echo route add 10.$((100+a)).$b.0/24 "
            "via 10.9.0.2; done; done | ip -batch -"));
    const auto all = routes();
    ASSERT_TRUE(all) << all.error().text;
    count = all->size();
    has_default = !all->empty() && all->front().prefix == 0;
  });
  if (!why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(count, kMaxRoutes);
  EXPECT_TRUE(has_default);
}

}  // namespace
}  // namespace hawser::interfaces
