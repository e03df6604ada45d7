// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Whatever interfaces two hosts have, they find each other over the right ones.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/net/namespaces.hpp"

namespace hawser::net_tests {
namespace {

using tcp::g_params;

TEST(TestHosts, ThoseOfAProcessThatIsGoneAreRemoved) {
  std::string why;
  if (!can_make_namespaces(why)) GTEST_SKIP() << why;
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  const std::string left = fmt::format("hw{}a", gone);
  ASSERT_EQ(std::system(("ip netns add " + left).c_str()), 0);
  const Namespace ours("s");
  EXPECT_TRUE(sweep());
  EXPECT_NE(::access(("/run/netns/" + left).c_str(), F_OK), 0);
  EXPECT_EQ(::access(("/run/netns/" + ours.name()).c_str(), F_OK), 0);
}

class Selection : public TwoHosts {
 protected:
  void SetUp() override {
    TwoHosts::SetUp();
    if (!IsSkipped()) cable(*a, *b, "e0", "10.9.0.1/24", "10.9.0.2/24");
  }
  void exchange_all_sizes() {
    for (const std::size_t size : {0u, 1u, 1000u, 65'536u, 4u << 20}) {
      exchange(0, size);
      exchange(1, size);
    }
    EXPECT_TRUE(ranks[0]->failures.empty() && ranks[1]->failures.empty());
    EXPECT_EQ(ranks[0]->count(tcp::Counter::kDroppedInbound) + ranks[1]->count(tcp::Counter::kDroppedInbound),
              0u);
  }
};

// Open MPI issues 6377 and 8257, MPICH issue 7863: all of it at once, and default parameters.
TEST_F(Selection, TheOneGoodInterfaceAmongManyBadOnes) {
  for (const Namespace* host : {a.get(), b.get()}) {
    const int side = host == a.get() ? 1 : 2;
    host->ip("link add docker0 type bridge");
    host->ip("addr add 172.17.0.1/16 dev docker0");
    host->ip("link set docker0 up");
    host->ip("link add virbr0 type bridge");
    host->ip(fmt::format("addr add 192.168.{}.1/24 dev virbr0", 120 + side));
    host->ip("link set virbr0 up");
    host->ip("tuntap add tun0 mode tun");
    host->ip(fmt::format("addr add 100.64.0.{} peer 100.64.0.{} dev tun0", side, 3 - side));
    host->ip("link set tun0 up");
    for (int i = 0; i < 20; ++i) {
      host->dead_end(fmt::format("dummy{}", i), fmt::format("10.50.{}.{}/24", i, side));
    }
  }
  open();
  EXPECT_EQ(rails(), "tcp/e0#0 ");
  exchange_all_sizes();
}

TEST_F(Selection, SeveralGoodInterfacesAreAllUsed) {
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  cable(*a, *b, "e2", "10.9.2.1/24", "10.9.2.2/24");
  g_params.links = 2;
  open();
  EXPECT_EQ(rails(), "tcp/e0#0 tcp/e0#1 tcp/e1#0 tcp/e1#1 tcp/e2#0 tcp/e2#1 ");
  exchange_all_sizes();
}

// Open MPI issues 12232 and 5818.
TEST_F(Selection, SeveralAddressesOnOneInterface) {
  a->ip("addr add 10.9.0.11/24 dev e0 label e0:1");
  a->ip("addr add 10.9.0.12/24 dev e0");
  a->ip("addr add 10.20.0.1/24 dev e0");
  for (const char* include : {"", "e0", "10.9.0.0/24", "10.9.0.0/16"}) {
    g_params.if_include = include;
    open();
    exchange(0, 100'000);
    exchange(1, 100'000);
  }
}

TEST_F(Selection, ASingleAddressIsUsedBothWays) {
  a->ip("addr add 10.9.0.11/24 dev e0 label e0:1");
  g_params.if_include = "10.9.0.11/32,10.9.0.2/32";
  open();
  EXPECT_EQ(rails(), "tcp/e0:1#0 ");
  exchange_all_sizes();
}

TEST_F(Selection, ABridgeWithAPortMayBeTheOnlyWay) {
  a->ip("link add br0 type bridge");
  a->ip("addr flush dev e0");
  a->ip("link set e0 master br0");
  a->ip("addr add 10.9.0.1/24 dev br0");
  a->ip("link set br0 up");
  open();
  EXPECT_EQ(rails(), "tcp/br0#0 ");
  exchange(0, 100'000);
  exchange(1, 100'000);
}

TEST_F(Selection, GoodInterfaceBeforeBridge) {
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  a->ip("link add br0 type bridge");
  a->ip("addr flush dev e0");
  a->ip("link set e0 master br0");
  a->ip("addr add 10.9.0.1/24 dev br0");
  a->ip("link set br0 up");
  open();
  EXPECT_EQ(rails().rfind("tcp/e1#0 ", 0), 0u) << rails();
}

TEST_F(Selection, BothFamiliesAndOneAlone) {
  a->ip("addr add 2001:db8::1/64 dev e0 nodad");
  open();
  EXPECT_EQ(rails(), "tcp/e0#0 ") << "IPv6 on one side only does not disturb";
  exchange(0, 1000);
  EXPECT_TRUE(ranks[0]->log_lines.empty());
  b->ip("addr add 2001:db8::2/64 dev e0 nodad");
  g_params.disable_family = "4";
  open();
  EXPECT_EQ(rails(), "tcp/e0.v6#0 ");
  exchange_all_sizes();
}

TEST_F(Selection, LinkLocalAddressesAlone) {
  a->ip("addr flush dev e0");
  b->ip("addr flush dev e0");
  a->ip("addr add fe80::a/64 dev e0 nodad");
  b->ip("addr add fe80::b/64 dev e0 nodad");
  open();
  exchange(0, 1000);
  exchange(1, 1000);
}

// Open MPI issue 13722 and UCX issue 7599: loopback is not offered to other hosts, whatever the lists say.
TEST_F(Selection, LoopbackIsForOneHostOnly) {
  for (const Namespace* host : {a.get(), b.get()}) {
    host->ip("link add docker0 type bridge");
    host->ip("addr add 172.17.0.1/16 dev docker0");
    host->ip("link set docker0 up");
  }
  g_params.if_exclude = "docker0";
  open();
  EXPECT_EQ(rails(), "tcp/e0#0 ");
  exchange(0, 1000);
  g_params.if_exclude = "";
  g_params.if_include = "lo,e0";
  open();
  EXPECT_EQ(rails(), "tcp/e0#0 ");
  exchange(0, 1000);
  g_params.if_include = "lo";
  open();
  EXPECT_NE(rails().find("loopback reaches only processes of the same node"), std::string::npos) << rails();
  open(a.get());
  EXPECT_EQ(rails(), "tcp/lo#0 ");
  exchange(0, 1000);
}

TEST_F(Selection, WithinAHostLoopbackIsTaken) {
  a->ip("tuntap add tun0 mode tun");
  a->ip("addr add 100.64.0.1 peer 100.64.0.2 dev tun0");
  a->ip("link set tun0 up");
  open(a.get());
  EXPECT_EQ(rails(), "tcp/lo#0 ");
  exchange_all_sizes();
}

// Open MPI issue 12668.
TEST_F(Selection, OnlySelectedAddressesListen) {
  g_params.if_include = "lo";
  open();
  const auto port = job.published(0).addresses[0].port;
  const Inside inside(*b);
  const Fd fd(::socket(AF_INET, SOCK_STREAM, 0));
  const auto address = interfaces::socket_address(*interfaces::IpAddress::parse("10.9.0.1"), port, 0);
  EXPECT_EQ(::connect(fd.get(), address.get(), address.size), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
}

}  // namespace
}  // namespace hawser::net_tests
