// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Networks that swallow, refuse or fall silent end in a bounded, complete error.
#include "tests/net/namespaces.hpp"

namespace hawser::net_tests {
namespace {

using tcp::g_params;
using tcp::testing::Failure;
using tcp::testing::Letter;

class Failing : public TwoHosts {
 protected:
  void SetUp() override {
    TwoHosts::SetUp();
    if (!IsSkipped()) cable(*a, *b, "e0", "10.9.0.1/24", "10.9.0.2/24");
  }
  // Sends from rank 1 over its first rail until that fails; what was reported.
  Failure fail() {
    const auto way = reach(1);
    EXPECT_GT(way.count, 0u) << way.reason;
    Letter letter(1, "", "x");
    {
      const Inside inside(*b);
      EXPECT_EQ(way.rails[0].module->send(*way.rails[0].endpoint, letter.descriptor), btl::Posted::kPending);
    }
    EXPECT_TRUE(drive([&] { return letter.completions == 1; })) << "no end to it";
    EXPECT_NE(letter.status, Errc::kOk);
    EXPECT_EQ(ranks[1]->failures.size(), 1u);
    return ranks[1]->failures.empty() ? Failure{} : ranks[1]->failures[0];
  }
  static void expect_words(const Failure& failure, std::initializer_list<const char*> words) {
    for (const char* word : words)
      EXPECT_NE(failure.text.find(word), std::string::npos) << word << " in: " << failure.text;
  }
};

TEST_F(Failing, ABlackHoleEndsAtTheDeadline) {
  g_params.connect_timeout_ns = 300'000'000;
  open();
  b->ip("neigh replace 10.9.0.1 lladdr 02:00:00:00:00:99 nud permanent dev e0");
  const Failure failure = fail();
  EXPECT_EQ(failure.status, Errc::kUnreachable) << "nothing was sent on it: the other rails have its peer";
  expect_words(failure, {"rank 0", "10.9.0.2", "10.9.0.1:", "attempt 1", "attempt 2", "0.3 s", "no answer",
                         "firewall", "btl_tcp_if_include"});
}

TEST_F(Failing, AnAttemptThatGotLostIsRepeated) {
  g_params.connect_timeout_ns = 2'400'000'000;  // an attempt ends before the kernel says anything twice
  open();
  b->ip("neigh replace 10.9.0.1 lladdr 02:00:00:00:00:99 nud permanent dev e0");
  const auto way = reach(1);
  Letter letter(1, "", "x");
  {
    const Inside inside(*b);
    ASSERT_EQ(way.rails[0].module->send(*way.rails[0].endpoint, letter.descriptor), btl::Posted::kPending);
  }
  ASSERT_TRUE(drive([&] { return ranks[1]->count(tcp::Counter::kDialsRepeated) == 1; }));
  b->ip("neigh del 10.9.0.1 dev e0");
  ASSERT_TRUE(drive([&] { return letter.completions == 1; }));
  EXPECT_EQ(letter.status, Errc::kOk);
  EXPECT_TRUE(ranks[1]->failures.empty());
}

TEST_F(Failing, ABlackHoleLeavesThePeerToTheOtherPair) {
  cable(*a, *b, "e1", "10.9.1.1/24", "10.9.1.2/24");
  g_params.connect_timeout_ns = 300'000'000;
  open();
  b->ip("neigh replace 10.9.0.1 lladdr 02:00:00:00:00:99 nud permanent dev e0");
  const auto way = reach(1);
  Letter first(1, "", "x");
  {
    const Inside inside(*b);
    ASSERT_EQ(way.rails[0].module->send(*way.rails[0].endpoint, first.descriptor), btl::Posted::kPending);
  }
  const auto rail = way.rails[1];
  Letter letter(1, "", "over e1");
  {
    const Inside inside(*b);
    ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), btl::Posted::kPending);
  }
  ASSERT_TRUE(drive([&] { return ranks[0]->received.size() == 1; }));
  EXPECT_EQ(ranks[0]->received[0].data, "over e1");
  ASSERT_TRUE(drive([&] { return first.completions == 1 && ranks[1]->failures.size() == 1; }));
  EXPECT_EQ(first.status, Errc::kUnreachable);
  EXPECT_EQ(ranks[1]->failures[0].status, Errc::kUnreachable);
}

TEST_F(Failing, AProhibitedRouteEndsAtOnce) {
  g_params.connect_timeout_ns = 3'600'000'000'000;
  open();
  b->ip("route add prohibit 10.9.0.1/32");
  const Failure failure = fail();
  EXPECT_EQ(failure.status, Errc::kUnreachable);
  expect_words(failure, {"rank 0", "10.9.0.1:", "attempt 1"});
}

TEST_F(Failing, AnUnreachableRouteEndsAtOnce) {
  g_params.connect_timeout_ns = 3'600'000'000'000;
  open();
  b->ip("route add unreachable 10.9.0.1/32");
  expect_words(fail(), {"No route to host", "10.9.0.1:"});
}

TEST_F(Failing, OneSideThatMustNotCallIsCalled) {
  g_params.connect_timeout_ns = 3'600'000'000'000;
  open();
  b->ip("neigh replace 10.9.0.1 lladdr 02:00:00:00:00:99 nud permanent dev e0");
  const auto way = reach(1);
  Letter letter(1, "", "from b");
  {
    const Inside inside(*b);
    ASSERT_EQ(way.rails[0].module->send(*way.rails[0].endpoint, letter.descriptor), btl::Posted::kPending);
  }
  for (int i = 0; i < 10; ++i) drive([] { return true; });
  b->ip("neigh del 10.9.0.1 dev e0");
  exchange(0, 1000);  // while b's own call hangs: it is dropped, and its message goes this way
  EXPECT_TRUE(drive([&] { return letter.completions == 1 && letter.status == Errc::kOk; }));
}

TEST_F(Failing, ASilentPeerIsNoticed) {
  g_params.silence_timeout_ns = 1'000'000'000;
  open();
  exchange(0, 1000);
  exchange(1, 1000);
  a->ip("link set e0 down");
  const auto way = reach(1);
  Letter letter(1, "", std::string(1000, 'x'));
  {
    const Inside inside(*b);
    if (way.rails[0].module->send(*way.rails[0].endpoint, letter.descriptor) == btl::Posted::kDone)
      letter.completions = 1;
  }
  ASSERT_TRUE(drive([&] { return ranks[1]->failures.size() == 1; }));
  expect_words(ranks[1]->failures[0], {"rank 0", "broke"});
}

}  // namespace
}  // namespace hawser::net_tests
