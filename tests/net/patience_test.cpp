// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// First contact while the network is not there yet, and rails that are late or come back.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"
#include "tests/net/namespaces.hpp"

namespace hawser::net_tests {
namespace {

using tcp::g_params;
using tcp::testing::Letter;

constexpr std::uint64_t kHour = 3'600'000'000'000;  // ns

class Patient : public TwoHosts {
 protected:
  void cable_e0() { cable(*a, *b, "e0", "10.9.0.1/24", "10.9.0.2/24"); }
  void cable_e1() { cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24"); }
  // From rank 1 over its rail of that number; expected to wait.
  std::unique_ptr<Letter> send(std::size_t rail) {
    const auto way = reach(1);
    EXPECT_GT(way.count, rail) << way.reason;
    auto letter = std::make_unique<Letter>(1, "", "x");
    if (way.count <= rail) return letter;
    const Inside inside(*b);
    EXPECT_EQ(way.rails[rail].module->send(*way.rails[rail].endpoint, letter->descriptor),
              btl::Posted::kPending);
    return letter;
  }
  void TearDown() override {
    hooks::set("tcp.hello_written", nullptr, nullptr);
    TwoHosts::TearDown();
  }
  // For a hook: rank 0 reads the hello that has come, and answers.
  static void answer(void* self) {
    auto& test = *static_cast<Patient*>(self);
    const Inside inside(*test.a, true);
    const Deadline deadline = deadline_in(std::chrono::seconds(5));
    while (!test.has_answered() && Clock::now() < deadline) test.ranks[0]->turn();
  }
  bool has_answered() {
    const auto way = ranks[0]->reach(1);
    return std::any_of(way.rails, way.rails + way.count, [](const auto& rail) {
      return static_cast<tcp::Endpoint&>(*rail.endpoint).state() == tcp::State::kHelloWait;
    });
  }
  std::size_t rail_count(std::uint32_t from) { return reach(from).count; }
};

TEST_F(Patient, AnInterfaceThatComesAfterTheFirstSend) {
  g_params.connect_timeout_ns = kHour;
  open();
  const auto letter = send(0);
  ASSERT_TRUE(drive([&] { return ranks[1]->forgotten >= 2; })) << "the peer is asked for its addresses";
  cable_e0();
  ASSERT_TRUE(drive([&] { return !ranks[1]->changes.empty() && letter->completions == 1; }));
  EXPECT_EQ(letter->status, Errc::kUnreachable) << "handed back, for the rail that came";
  ASSERT_TRUE(
      drive([&] { return rail_count(0) == 1 && rails(0) == "tcp/e0#0 " && rails(1) == "tcp/e0#0 "; }));
  exchange(1, 1000);
  exchange(0, 1000);
  for (const auto& rank : ranks) EXPECT_TRUE(rank->failures.empty()) << rank->failures[0].text;
}

TEST_F(Patient, AnInterfaceThatDoesNotComeEndsInACompleteError) {
  g_params.connect_timeout_ns = 100'000'000;
  open();
  const auto letter = send(0);
  ASSERT_TRUE(drive([&] { return letter->completions == 1; }));
  EXPECT_EQ(letter->status, Errc::kUnreachable);
  ASSERT_EQ(ranks[1]->failures.size(), 1u);
  for (const char* word : {"no pair of addresses", "rank 0", "none came in 0.1 s", "127.0.0.1", "loopback",
                           "btl_tcp_if_include"}) {
    EXPECT_NE(ranks[1]->failures[0].text.find(word), std::string::npos)
        << word << " in: " << ranks[1]->failures[0].text;
  }
}

TEST_F(Patient, WhatCannotChangeIsSaidAtOnce) {
  g_params.connect_timeout_ns = kHour;
  g_params.if_include = "lo";
  open();
  EXPECT_EQ(reach(0).count, 0u) << "nothing but loopback is wanted";
  for (auto& rank : ranks) {
    const Inside inside(*homes[rank->job().rank]);
    rank.reset();
  }
  g_params.if_include = "";
  cable(*a, *b, "e0", "10.9.0.1/24", "2001:db8::2/64");
  open();
  const auto way = reach(0);
  EXPECT_EQ(way.count, 0u) << "one has only IPv4, the other only IPv6";
  EXPECT_NE(std::string(way.reason).find("only IPv4 addresses to meet at, the other only IPv6"),
            std::string::npos)
      << way.reason;
}

// One side may have no IPv4, and of the other nobody asked for its link-local address.
TEST_F(Patient, ALinkLocalAddressAgainstIpv4IsExplained) {
  cable_e0();
  b->ip("addr flush dev e0");
  b->ip("addr add fe80::b/64 dev e0 nodad");
  open();
  for (const std::uint32_t from : {0, 1}) {
    const auto way = reach(from);
    EXPECT_EQ(way.count, 0u);
    for (const char* word :
         {"only IPv4", "only IPv6, link-local", "btl_tcp_disable_family (here 0)", "btl_tcp_if_include"})
      EXPECT_NE(std::string(way.reason).find(word), std::string::npos) << word << " in: " << way.reason;
  }
}

TEST_F(Patient, ARouteThatComesAfterTheFirstSend) {
  g_params.connect_timeout_ns = kHour;
  g_params.retries = 0;
  cable_e0();
  open();
  b->ip("route del 10.9.0.0/24 dev e0");
  const auto letter = send(0);
  ASSERT_TRUE(drive([&] { return ranks[1]->count(tcp::Counter::kDialsRepeated) >= 2; }));
  b->ip("route add 10.9.0.0/24 dev e0 src 10.9.0.2");
  ASSERT_TRUE(drive([&] { return letter->completions == 1; }));
  EXPECT_EQ(letter->status, Errc::kOk);
  EXPECT_TRUE(ranks[1]->failures.empty());
}

TEST_F(Patient, AChangeEndsThePauseAtOnce) {
  g_params.connect_timeout_ns = kHour;
  g_params.retry_pause_ns = kHour / 100;
  cable_e0();
  open();
  b->ip("route del 10.9.0.0/24 dev e0");
  const auto letter = send(0);
  ASSERT_TRUE(drive([&] { return ranks[1]->forgotten >= 1; })) << "the first attempt has failed";
  b->ip("route add 10.9.0.0/24 dev e0 src 10.9.0.2");
  ASSERT_TRUE(drive([&] { return letter->completions == 1; }));
  EXPECT_EQ(letter->status, Errc::kOk);
}

TEST_F(Patient, ARailThatIsLateLeavesThePeerToTheOther) {
  g_params.connect_timeout_ns = 3'000'000'000;
  cable_e0();
  cable_e1();
  open();
  b->ip("neigh replace 10.9.0.1 lladdr 02:00:00:00:00:99 nud permanent dev e0");
  const auto letter = send(0);
  ASSERT_TRUE(drive([&] { return letter->completions == 1; }));
  EXPECT_EQ(letter->status, Errc::kUnreachable) << "handed back, for the rail that works";
  EXPECT_TRUE(ranks[1]->failures.empty()) << "it is still being tried: " << ranks[1]->failures[0].text;
  EXPECT_EQ(ranks[1]->count(tcp::Counter::kRailsAside), 1u);
  EXPECT_EQ(rails(1), "tcp/e1#0 ");
  exchange(1, 1000);
  b->ip("neigh del 10.9.0.1 dev e0");
  ASSERT_TRUE(drive([&] { return rail_count(1) == 2; })) << "it is back once it is connected";
  EXPECT_EQ(ranks[1]->count(tcp::Counter::kRailsBack), 1u);
  exchange(1, 1000);
}

#if defined(HAWSER_HOOKS)
// The other rail is called only then, and its peer answers before the call returns.
TEST_F(Patient, ARailThatIsConnectedAtOnceTakesThePlaceOfOneThatIsLate) {
  g_params.connect_timeout_ns = kHour;
  cable_e0();
  cable_e1();
  open();
  b->ip("neigh replace 10.9.0.1 lladdr 02:00:00:00:00:99 nud permanent dev e0");
  hooks::set("tcp.hello_written", &Patient::answer, this);
  const auto letter = send(0);
  ASSERT_TRUE(drive([&] { return letter->completions == 1; }));
  EXPECT_EQ(letter->status, Errc::kUnreachable) << "handed back, for the rail that works";
  EXPECT_EQ(rails(1), "tcp/e1#0 ");
}
#endif

// A thread that has the old rails may still post there.
TEST_F(Patient, WhatComesToARailThatStandsAsideIsHandedBack) {
  g_params.connect_timeout_ns = kHour;
  cable_e0();
  cable_e1();
  open();
  b->ip("neigh replace 10.9.0.1 lladdr 02:00:00:00:00:99 nud permanent dev e0");
  const auto late = reach(1).rails[0];
  const auto first = send(0);
  ASSERT_TRUE(drive([&] { return first->completions == 1; }));
  Letter second(1, "", "x");
  {
    const Inside inside(*b);
    ASSERT_EQ(late.module->send(*late.endpoint, second.descriptor), btl::Posted::kPending);
  }
  ASSERT_TRUE(drive([&] { return second.completions == 1; }));
  EXPECT_EQ(second.status, Errc::kUnreachable);
}

class Probing : public Patient {
 protected:
  void SetUp() override {
    Patient::SetUp();
    if (IsSkipped()) return;
    cable_e0();
    cable_e1();
    g_params.probe_pause_ns = 1'000'000;
  }
  // Rank 1 cannot connect over e0, and has e1.
  void fail_e0() {
    open();
    b->ip("route add prohibit 10.9.0.1/32");
    const auto letter = send(0);
    ASSERT_TRUE(drive([&] { return letter->completions == 1; }));
    ASSERT_EQ(ranks[1]->failures.size(), 1u);
    const auto way = reach(1);
    ASSERT_EQ(way.count, 2u) << "the one that failed is among them, as nobody asked for the other yet";
    Letter other(1, "", "x");
    {
      const Inside inside(*b);
      ASSERT_EQ(way.rails[1].module->send(*way.rails[1].endpoint, other.descriptor), btl::Posted::kPending);
    }
    ASSERT_TRUE(drive([&] { return other.completions == 1 && rail_count(1) == 1; }));
  }
};

TEST_F(Probing, ARailThatFailedComesBack) {
  fail_e0();
  ASSERT_TRUE(drive([&] { return ranks[1]->count(tcp::Counter::kRailsProbed) >= 3; }));
  EXPECT_EQ(rail_count(1), 1u);
  b->ip("route del prohibit 10.9.0.1/32");
  ASSERT_TRUE(drive([&] { return rail_count(1) == 2; }));
  EXPECT_EQ(ranks[1]->count(tcp::Counter::kRailsBack), 1u);
  EXPECT_EQ(ranks[1]->changes.size(), 1u) << "those who send hear of it once";
  EXPECT_EQ(ranks[1]->count(tcp::Counter::kPeersKept), 1u) << "the one with the endpoint that failed";
  exchange(1, 1000);
  exchange(0, 1000);
  EXPECT_EQ(ranks[1]->failures.size(), 1u);
}

TEST_F(Probing, AChangeOfTheNetworkIsAReasonToTry) {
  g_params.probe_pause_ns = kHour;
  fail_e0();
  b->ip("route del prohibit 10.9.0.1/32");
  b->ip("addr add 10.77.0.1/24 dev e1");
  ASSERT_TRUE(drive([&] { return ranks[1]->count(tcp::Counter::kRailsBack) == 1; }));
}

TEST_F(Probing, WithoutAnyOtherItIsTriedAtOnce) {
  g_params.probe_pause_ns = kHour;
  fail_e0();
  b->ip("route del prohibit 10.9.0.1/32");
  const auto last = reach(1).rails[0];
  ::shutdown(static_cast<tcp::Endpoint&>(*last.endpoint).stream_fd(), SHUT_RDWR);
  ASSERT_TRUE(drive([&] { return ranks[1]->failures.size() == 2; }));
  const auto letter = send(0);
  EXPECT_EQ(rails(1).substr(0, 9), "tcp/e0#0 ");
  ASSERT_TRUE(drive([&] { return letter->completions == 1; }));
  EXPECT_EQ(letter->status, Errc::kOk);
}

#if defined(HAWSER_HOOKS)
// It was to be published with a fresh endpoint, which nobody will ever close.
TEST_F(Probing, APeerThatIsReleasedMeanwhileIsNotProbed) {
  open();
  b->ip("route add prohibit 10.9.0.1/32");
  const auto failing = send(0);
  ASSERT_TRUE(drive([&] { return failing->completions == 1; }));
  hooks::set(
      "tcp.before_revival",
      [](void* self) {
        hooks::set("tcp.before_revival", nullptr, nullptr);
        static_cast<tcp::testing::Rank*>(self)->component().release_peer(0);
      },
      ranks[1].get());
  const auto other = send(1);
  ASSERT_TRUE(drive([&] { return other->completions == 1; }));
  for (int i = 0; i < 50; ++i) {
    drive([] { return true; });
    ::usleep(1000);  // longer than the pause
  }
  EXPECT_EQ(ranks[1]->count(tcp::Counter::kRailsProbed), 0u);
}
#endif

TEST_F(Probing, ARailThatBrokeComesBackOnBothSides) {
  open();
  exchange(1, 1000);
  exchange(0, 1000);
  ASSERT_EQ(rail_count(1), 2u);
  const auto broken = reach(1).rails[0];
  ::shutdown(static_cast<tcp::Endpoint&>(*broken.endpoint).stream_fd(), SHUT_RDWR);
  ASSERT_TRUE(drive([&] { return ranks[0]->failures.size() == 1 && ranks[1]->failures.size() == 1; }));
  ASSERT_TRUE(drive([&] {
    return ranks[0]->count(tcp::Counter::kRailsBack) == 1 && ranks[1]->count(tcp::Counter::kRailsBack) == 1;
  }));
  EXPECT_EQ(rail_count(0), 2u);
  EXPECT_EQ(rail_count(1), 2u);
  exchange(1, 1000);
  exchange(0, 1000);
}

TEST_F(Probing, CanBeSwitchedOff) {
  g_params.probe_pause_ns = 0;
  open();
  exchange(1, 1000);
  const auto broken = reach(1).rails[0];
  ::shutdown(static_cast<tcp::Endpoint&>(*broken.endpoint).stream_fd(), SHUT_RDWR);
  ASSERT_TRUE(drive([&] { return ranks[0]->failures.size() == 1 && ranks[1]->failures.size() == 1; }));
  for (int i = 0; i < 10; ++i) drive([] { return true; });
  EXPECT_EQ(reach(1).rails[0].endpoint, broken.endpoint) << "no other is in its place";
}

}  // namespace
}  // namespace hawser::net_tests
