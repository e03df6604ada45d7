// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Interfaces that come and go while two ranks talk.
#include <fmt/format.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <fstream>

#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"
#include "framework/interfaces/watch.hpp"
#include "tests/net/namespaces.hpp"

namespace hawser::net_tests {
namespace {

using tcp::g_params;
using tcp::testing::Letter;

class Changing : public TwoHosts {
 public:
  void add_e1_and_wait() {
    cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
    EXPECT_TRUE(drive([&] { return job.published(0).generation == 2; }));
  }
  void delete_e1() {
    a->ip("link del e1");
    gone = true;
  }

 protected:
  void SetUp() override {
    TwoHosts::SetUp();
    if (!IsSkipped()) cable(*a, *b, "e0", "10.9.0.1/24", "10.9.0.2/24");
  }
  void TearDown() override {
    for (const char* hook : {"tcp.before_publish", "tcp.newer_hello", "tcp.interfaces_read"})
      hooks::set(hook, nullptr, nullptr);
    TwoHosts::TearDown();
  }
  // Until both sides have so many rails, all of them of addresses that both publish.
  bool wait_for_rails(std::size_t count) {
    return drive([&] { return settled(0, count) && settled(1, count); });
  }
  bool settled(std::uint32_t from, std::size_t count) {
    const auto way = reach(from);
    if (way.count != count) return false;
    const tcp::Blob ours = job.published(from);
    const tcp::Blob theirs = job.published(1 - from);
    for (std::size_t i = 0; i < count; ++i) {
      auto& endpoint = static_cast<tcp::Endpoint&>(*way.rails[i].endpoint);
      if (!ours.offers(endpoint.module().index()) || !theirs.offers(endpoint.facts().their_module))
        return false;
    }
    return true;
  }
  // Both ways over all rails, until both systems have confirmed everything.
  void talk() {
    exchange(0, 100'000);
    exchange(1, 100'000);
    ASSERT_TRUE(drive([&] { return confirmed(0) && confirmed(1); }));
  }
  bool confirmed(std::uint32_t from) {
    const auto way = reach(from);
    for (std::size_t i = 0; i < way.count; ++i) {
      const int fd = static_cast<tcp::Endpoint&>(*way.rails[i].endpoint).stream_fd();
      int bytes = 0;
      if (fd >= 0 && (::ioctl(fd, SIOCOUTQ, &bytes) != 0 || bytes != 0)) return false;
    }
    return true;
  }
  bool offers(std::uint32_t rank, const char* address) {
    const tcp::Blob published = job.published(rank);
    return std::any_of(published.addresses.begin(), published.addresses.end(), [&](const auto& at) {
      return at.candidate.address == *interfaces::IpAddress::parse(address);
    });
  }
  bool any_route(std::uint32_t rank, const char* network) {
    const tcp::Blob published = job.published(rank);
    return std::any_of(published.routes.begin(), published.routes.end(),
                       [&](const auto& at) { return at.network == *interfaces::IpAddress::parse(network); });
  }
  void expect_peace() {
    for (const auto& rank : ranks) {
      EXPECT_TRUE(rank->failures.empty()) << rank->failures[0].text;
      EXPECT_EQ(rank->count(tcp::Counter::kDroppedInbound), 0u);
      EXPECT_TRUE(rank->log_lines.empty()) << rank->log_lines[0];
    }
  }
  bool gone = false;  // e1
};

TEST_F(Changing, AnInterfaceThatComesIsUsed) {
  g_params.links = 2;
  open();
  EXPECT_EQ(rails(), "tcp/e0#0 tcp/e0#1 ");
  talk();
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  ASSERT_TRUE(wait_for_rails(4)) << rails();
  talk();
  EXPECT_EQ(rails(), "tcp/e0#0 tcp/e0#1 tcp/e1#0 tcp/e1#1 ");
  for (const auto& rank : ranks) EXPECT_FALSE(rank->changes.empty());
  expect_peace();
}

TEST_F(Changing, AnInterfaceThatComesBeforeTheFirstContactIsUsed) {
  open();
  EXPECT_EQ(reach(0).count, 1u);
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  ASSERT_TRUE(drive([&] { return job.published(0).generation == 2 && job.published(1).generation == 2; }));
  exchange(0, 1000);  // the hello says that there is news
  ASSERT_TRUE(wait_for_rails(2)) << rails();
  talk();
  expect_peace();
}

TEST_F(Changing, WithoutADeletedInterfaceTheOtherServes) {
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  open();
  talk();
  a->ip("link del e1");
  ASSERT_TRUE(wait_for_rails(1)) << rails();
  talk();
  EXPECT_EQ(rails(), "tcp/e0#0 ");
  expect_peace();
}

TEST_F(Changing, WithoutAnInterfaceThatIsSetDownTheOtherServes) {
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  open();
  ASSERT_TRUE(wait_for_rails(2)) << rails();
  talk();
  a->ip("link set e0 down");
  ASSERT_TRUE(wait_for_rails(1)) << rails();
  talk();
  EXPECT_EQ(rails(), "tcp/e1#0 ");
  expect_peace();
}

TEST_F(Changing, WhatMayBeLostWithAnInterfaceIsReportedBeforeTheRailsChange) {
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  open();
  talk();
  b->ip("neigh replace 10.9.1.1 lladdr 02:00:00:00:00:99 nud permanent dev e1");
  const auto rail = reach(1).rails[1];
  Letter letter(1, "", "into the void");
  {
    const Inside inside(*b);
    ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), btl::Posted::kDone);
  }
  b->ip("link set e1 down");
  ASSERT_TRUE(wait_for_rails(1)) << rails();
  ASSERT_EQ(ranks[1]->failures.size(), 1u);
  EXPECT_EQ(ranks[1]->failures[0].status, Errc::kPeerGone);
  EXPECT_NE(ranks[1]->failures[0].text.find("tcp/e1#0"), std::string::npos) << ranks[1]->failures[0].text;
  EXPECT_TRUE(ranks[0]->failures.empty()) << ranks[0]->failures[0].text;
  exchange(0, 1000);
  exchange(1, 1000);
}

// As when a lease is not renewed, and another address is given. Both directions: the side that moved calls.
TEST_F(Changing, AReplacedAddressOfTheOnlyInterface) {
  static int asked = 0;
  asked = 0;
  hooks::set(
      "tcp.newer_hello", [](void*) { ++asked; }, nullptr);
  open();
  talk();
  a->ip("addr del 10.9.0.1/24 dev e0");
  a->ip("addr add 10.9.0.7/24 dev e0");
  ASSERT_TRUE(drive([&] { return !ranks[0]->changes.empty() && !ranks[1]->changes.empty(); }));
#if defined(HAWSER_HOOKS)
  EXPECT_GE(asked, 1) << "the other side learns it from the hello alone";
#endif
  EXPECT_EQ(rails(), "tcp/e0~2#0 ");
  exchange(1, 100'000);
  talk();
  expect_peace();
}

TEST_F(Changing, AnAddressOfTheOtherFamilyDisturbsNobody) {
  open();
  talk();
  a->ip("addr add 2001:db8::1/64 dev e0");
  b->ip("addr add 2001:db8::2/64 dev e0");
  ASSERT_TRUE(drive([&] { return offers(0, "2001:db8::1") && offers(1, "2001:db8::2"); }))
      << "once the kernel has confirmed that nobody else has it";
  talk();
  EXPECT_EQ(rails().rfind("tcp/e0#0 ", 0), 0u) << rails();
  a->ip("addr del 10.9.0.1/24 dev e0");
  ASSERT_TRUE(drive([&] { return rails() == "tcp/e0.v6#0 "; })) << rails();
  ASSERT_TRUE(wait_for_rails(1));
  talk();
  expect_peace();
}

TEST_F(Changing, AnInterfaceThatFlapsTenTimes) {
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  open();
  talk();
  for (int round = 0; round < 10; ++round) {
    (round % 2 ? a : b)->ip("link set e1 down");
    ASSERT_TRUE(wait_for_rails(1)) << rails();
    talk();
    (round % 2 ? a : b)->ip("link set e1 up");
    ASSERT_TRUE(wait_for_rails(2)) << rails();
    talk();
  }
  expect_peace();
}

TEST_F(Changing, AFlapTooShortToSettleIsNoChange) {
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  open();
  talk();
  for (int round = 0; round < 10; ++round) {
    a->ip("addr add 10.77.0.1/24 dev e1");
    a->ip("addr del 10.77.0.1/24 dev e1");
  }
  talk();
  expect_peace();
}

TEST_F(Changing, TheLastWayIsKeptThroughAFlap) {
  open();
  talk();
  a->ip("link set e0 down");
  const auto before = reach(0).rails[0].endpoint;
  for (int i = 0; i < 300; ++i) {
    drive([] { return true; });
    ::usleep(1000);  // longer than a change takes to settle
  }
  EXPECT_EQ(reach(0).rails[0].endpoint, before);
  a->ip("link set e0 up");
  talk();
  EXPECT_EQ(reach(0).rails[0].endpoint, before);
  EXPECT_TRUE(ranks[0]->changes.empty() && ranks[1]->changes.empty());
  expect_peace();
}

TEST_F(Changing, ADeviceThatIsMadeAnewWithTheSameAddress) {
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  g_params.port_min_v4 = 23'300;
  g_params.port_range_v4 = 1;  // the listener's port is free again at once
  open();
  talk();
  a->ip("link del e1");
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  const std::string expected = "tcp/e0#0 tcp/e1~2#0 ";
  ASSERT_TRUE(drive([&] { return rails(0) == expected && rails(1) == expected; })) << rails(0) << rails(1);
  ASSERT_TRUE(wait_for_rails(2));
  talk();
  expect_peace();
}

#if defined(HAWSER_HOOKS)
// The peer is made with the old set of our interfaces while that changes: nobody else would ever look again.
TEST_F(Changing, AChangeWhileAPeerIsMadeIsNotMissed) {
  open();
  hooks::set(
      "tcp.before_publish",
      [](void* context) {
        hooks::set("tcp.before_publish", nullptr, nullptr);
        static_cast<Changing*>(context)->add_e1_and_wait();
      },
      this);
  EXPECT_EQ(reach(0).count, 1u);
  exchange(0, 1000);
  ASSERT_TRUE(wait_for_rails(2)) << rails();
  talk();
  expect_peace();
}

// There when the interfaces were read, and gone when it is to be listened on: no news.
TEST_F(Changing, AnInterfaceThatGoesBeforeItsTurnDisturbsNobody) {
  open();
  talk();
  for (const auto& [ours, theirs] :
       {std::pair("10.9.1.1/24", "10.9.1.2/24"), std::pair("fe80::91/64", "fe80::92/64"),
        std::pair("2001:db8::1/64", "2001:db8::2/64")}) {
    SCOPED_TRACE(ours);
    cable(*a, *b, "e1", ours, theirs);
    gone = false;
    hooks::set(
        "tcp.interfaces_read",
        [](void* context) {
          hooks::set("tcp.interfaces_read", nullptr, nullptr);
          static_cast<Changing*>(context)->delete_e1();
        },
        this);
    ASSERT_TRUE(drive([&] { return gone; }));
    talk();
    EXPECT_EQ(rails(), "tcp/e0#0 ");
    expect_peace();
  }
}

#endif

TEST_F(Changing, FiltersHoldForWhatComes) {
  g_params.if_exclude = "e1,10.50.0.0/16";
  open();
  talk();
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  a->dead_end("d0", "10.50.0.1/24");
  cable(*a, *b, "e2", "10.9.2.1/24", "10.9.2.2/24");
  ASSERT_TRUE(wait_for_rails(2)) << rails();
  EXPECT_EQ(rails(), "tcp/e0#0 tcp/e2#0 ");
  const tcp::Blob published = job.published(0);
  EXPECT_TRUE(std::none_of(published.addresses.begin(), published.addresses.end(),
                           [](const auto& at) { return at.name == "e1" || at.name == "d0"; }));
  talk();
  expect_peace();
}

// A and B also have an interface each in networks of their own, which a router joins.
class Routed : public Changing {
 protected:
  void SetUp() override {
    Changing::SetUp();
    if (IsSkipped()) return;
    router = std::make_unique<Namespace>("r");
    cable(*a, *router, "e1", "10.31.0.1/24", "10.31.0.9/24");
    cable(*b, *router, "e2", "10.32.0.2/24", "10.32.0.9/24");
    const Inside inside(*router);
    std::ofstream("/proc/sys/net/ipv4/ip_forward") << 1;
  }
  void add_routes() {
    a->ip("route add 10.32.0.0/24 via 10.31.0.9");
    b->ip("route add 10.31.0.0/24 via 10.32.0.9");
  }
  std::unique_ptr<Namespace> router;
};

TEST_F(Routed, ARouteThatComesJoinsTwoNetworks) {
  open();
  EXPECT_EQ(rails(), "tcp/e0#0 ") << "nothing leads from the one to the other";
  talk();
  add_routes();
  ASSERT_TRUE(wait_for_rails(2)) << rails();
  EXPECT_EQ(rails(), "tcp/e0#0 tcp/e1#0 ");
  talk();
  expect_peace();
}

// A router may change its routes all the time: we look once a second, and what comes late is not missed.
TEST_F(Routed, RoutesThatChangeAllTheTimeMakeNoStorm) {
  open();
  talk();
  const auto began = Clock::now();
  for (int i = 0; i < 100; ++i) {
    a->ip(fmt::format("route add 10.40.{}.0/24 via 10.31.0.9", i));
    drive([] { return true; });
  }
  add_routes();
  ASSERT_TRUE(wait_for_rails(2)) << rails();
  ASSERT_TRUE(drive([&] { return any_route(0, "10.40.99.0"); }));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began).count();
  EXPECT_LE(job.published(0).generation, 1 + (seconds + 1) + 2) << "in " << seconds << " s and a part of one";
  talk();
  expect_peace();
}

// Some announcements come a moment later.
bool hears(interfaces::Watch& watch, interfaces::Change least = interfaces::Change::kInterfaces) {
  const Deadline deadline = deadline_in(std::chrono::seconds(5));
  while (Clock::now() < deadline) {
    if (watch.drain() >= least) return true;
    pollfd look{watch.fd(), POLLIN, 0};
    ::poll(&look, 1, 100);
  }
  return false;
}

TEST(WatchTest, HearsOfItsNamespaceOnly) {
  std::string why;
  if (!can_make_namespaces(why)) GTEST_SKIP() << why;
  const Namespace here("w");
  const Namespace elsewhere("x");
  auto watch = [&] {
    const Inside inside(here);
    return interfaces::Watch::open();
  }();
  ASSERT_TRUE(watch) << watch.error().text;
  watch->drain();
  elsewhere.dead_end("d0", "10.50.0.1/24");
  EXPECT_EQ(watch->drain(), interfaces::Change::kNone);
  here.dead_end("d0", "10.50.0.1/24");
  EXPECT_TRUE(hears(*watch));
  here.ip("addr add fd00::1/64 dev d0 nodad");
  EXPECT_TRUE(hears(*watch));
  here.ip("route add 10.60.0.0/16 via 10.50.0.9");
  EXPECT_TRUE(hears(*watch, interfaces::Change::kRoutes));
  here.ip("route add fd60::/64 via fd00::9");
  EXPECT_TRUE(hears(*watch, interfaces::Change::kRoutes));
  here.ip("link set d0 down");
  EXPECT_TRUE(hears(*watch));
}

TEST(WatchTest, MoreThanItCanHoldIsAChange) {
  std::string why;
  if (!can_make_namespaces(why)) GTEST_SKIP() << why;
  const Namespace here("w");
  auto watch = [&] {
    const Inside inside(here);
    return interfaces::Watch::open();
  }();
  ASSERT_TRUE(watch) << watch.error().text;
  const int least = 1;
  ASSERT_EQ(::setsockopt(watch->fd(), SOL_SOCKET, SO_RCVBUF, &least, sizeof least), 0);
  here.dead_end("d0", "10.50.0.1/24");
  for (int i = 0; i < 20; ++i) here.ip(fmt::format("addr add 10.50.1.{}/32 dev d0", i + 1));
  EXPECT_EQ(watch->drain(), interfaces::Change::kInterfaces);
  EXPECT_EQ(watch->drain(), interfaces::Change::kNone);
}

}  // namespace
}  // namespace hawser::net_tests
