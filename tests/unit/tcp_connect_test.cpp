// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// How connections come about: both sides at once, strangers, refusals, and a peer that plays by hand.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

#include "components/tcp/params.hpp"
#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"
#include "tests/unit/tcp_puppet.hpp"

namespace hawser::tcp::testing {
namespace {

using btl::Posted;

class Connecting : public ::testing::Test {
 protected:
  void SetUp() override { reset_params(); }
  std::uint16_t port_of_rank(std::uint32_t rank) { return job.published(rank).addresses[0].port; }

  FakeJob job{2};
};

TEST_F(Connecting, BothAtOnceEndUpWithOneConnection) {
  for (int round = 0; round < 50; ++round) {
    FakeJob fresh(2);
    Rank zero(fresh, 0);
    Rank one(fresh, 1);
    ASSERT_EQ(zero.open(), "");
    ASSERT_EQ(one.open(), "");
    const auto to_one = zero.reach(1).rails[0];
    const auto to_zero = one.reach(0).rails[0];
    Letter a(1, "", "from zero");
    Letter b(1, "", "from one");
    ASSERT_EQ(to_one.module->send(*to_one.endpoint, a.descriptor), Posted::kPending);
    ASSERT_EQ(to_zero.module->send(*to_zero.endpoint, b.descriptor), Posted::kPending);
    ASSERT_TRUE(drive({&zero, &one}, [&] { return zero.received.size() == 1 && one.received.size() == 1; }));
    EXPECT_EQ(zero.count(Counter::kConnectionsMade) + one.count(Counter::kConnectionsMade), 1u);
    EXPECT_EQ(zero.count(Counter::kAccepted) + one.count(Counter::kAccepted), 1u);
    EXPECT_EQ(a.completions + b.completions, 2);
    EXPECT_TRUE(zero.failures.empty() && one.failures.empty());
    EXPECT_EQ(zero.count(Counter::kDroppedInbound) + one.count(Counter::kDroppedInbound), 0u);
  }
}

TEST_F(Connecting, TheLowerRankWinsATie) {
  Rank zero(job, 0);
  Rank one(job, 1);
  ASSERT_EQ(zero.open(), "");
  ASSERT_EQ(one.open(), "");
  const auto to_one = zero.reach(1).rails[0];
  const auto to_zero = one.reach(0).rails[0];
  Letter a(1, "", "a");
  Letter b(1, "", "b");
  ASSERT_EQ(to_one.module->send(*to_one.endpoint, a.descriptor), Posted::kPending);
  ASSERT_EQ(to_zero.module->send(*to_zero.endpoint, b.descriptor), Posted::kPending);
  zero.component().progress();  // both hellos are out before either is read
  one.component().progress();
  ASSERT_TRUE(drive({&zero, &one}, [&] { return zero.received.size() == 1 && one.received.size() == 1; }));
  EXPECT_EQ(zero.count(Counter::kConnectionsMade), 1u);
  EXPECT_EQ(one.count(Counter::kTiesLost), 1u);
}

TEST_F(Connecting, ADuplicateAfterwardsIsRefusedAndHarmsNothing) {
  Puppet one(job, 1);
  Rank zero(job, 0);
  ASSERT_EQ(zero.open(), "");
  for (int round = 0; round < 2; ++round) {
    Fd fd = connect_to(port_of_rank(0));
    const HelloBytes hello = one.hello(job, 0);
    put(fd.get(), hello.data(), hello.size());
    AnswerBytes answer;
    ASSERT_TRUE(one.read(zero, fd.get(), answer));
    const auto reply = one.notary().read_answer(hello, answer);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->reply, round == 0 ? Reply::kWelcome : Reply::kDuplicate);
    if (round == 1) break;
    const ProofBytes proof = one.notary().write_proof(hello, answer);
    put(fd.get(), proof.data(), proof.size());
    ASSERT_TRUE(drive({&zero}, [&] { return zero.count(Counter::kAccepted) == 1; }));
    fd.release();  // stays open to the end of the process
  }
  EXPECT_TRUE(zero.failures.empty());
}

TEST_F(Connecting, AReplayedHelloWithoutProofDoesNotBlockThePeer) {
  Puppet one(job, 1);
  Rank zero(job, 0);
  ASSERT_EQ(zero.open(), "");
  const HelloBytes old = one.hello(job, 0);
  Fd replay = connect_to(port_of_rank(0));
  put(replay.get(), old.data(), old.size());
  AnswerBytes answer;
  ASSERT_TRUE(one.read(zero, replay.get(), answer));
  Fd real = connect_to(port_of_rank(0));
  const HelloBytes hello = one.hello(job, 0);
  put(real.get(), hello.data(), hello.size());
  ASSERT_TRUE(one.read(zero, real.get(), answer));
  const ProofBytes proof = one.notary().write_proof(hello, answer);
  put(real.get(), proof.data(), proof.size());
  EXPECT_TRUE(drive({&zero}, [&] { return zero.count(Counter::kAccepted) == 1; }));
}

TEST_F(Connecting, StrangersGetNothingAndHarmNothing) {
  Rank zero(job, 0);
  Rank one(job, 1);
  ASSERT_EQ(zero.open(), "");
  ASSERT_EQ(one.open(), "");
  const std::uint16_t port = port_of_rank(1);
  connect_to(port);  // a scan
  std::vector<Fd> held;
  for (int i = 0; i < 20; ++i) {  // more than there are slots
    held.push_back(connect_to(port));
    put(held.back().get(), "abc", 3);
  }
  Fd noise = connect_to(port);
  const std::string random(124, 'z');
  put(noise.get(), random.data(), random.size());
  const auto rail = zero.reach(1).rails[0];
  Letter letter(1, "", "through");
  ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kPending);
  ASSERT_TRUE(drive({&zero, &one}, [&] { return one.received.size() == 1; }));
  ASSERT_TRUE(drive({&zero, &one}, [&] { return one.count(Counter::kRefusedStrangers) == 22; }))
      << "all are let go in time";
  for (const Fd& fd : held) {
    char byte;
    EXPECT_LE(::recv(fd.get(), &byte, 1, MSG_DONTWAIT), 0) << "a stranger got a byte";
  }
  EXPECT_TRUE(one.log_lines.empty() && one.failures.empty());
}

TEST_F(Connecting, RefusedConnectionsAreTriedAgainThenReportedOnce) {
  Rank zero(job, 0);
  ASSERT_EQ(zero.open(), "");
  { Puppet one(job, 1); }  // published, and gone
  const auto rail = zero.reach(1).rails[0];
  Letter letter(1, "", "x");
  ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kPending);
  ASSERT_TRUE(drive({&zero}, [&] { return letter.completions == 1; }));
  EXPECT_NE(letter.status, Errc::kOk);
  ASSERT_EQ(zero.failures.size(), 1u);
  EXPECT_EQ(zero.count(Counter::kDialsRepeated), static_cast<std::uint64_t>(g_params.retries));
  for (const char* words :
       {"rank 1", "127.0.0.1:", "Connection refused", "attempt 4", "btl_tcp_if_include"}) {
    EXPECT_NE(zero.failures[0].text.find(words), std::string::npos)
        << words << " in " << zero.failures[0].text;
  }
  EXPECT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kUnreachable);
  EXPECT_EQ(rail.module->sendi(*rail.endpoint, {"", 0, 1}, "", 0), Posted::kUnreachable);
}

TEST_F(Connecting, ALossInTheMiddleOfAPlacementIsAbandonedAndReported) {
  Puppet one(job, 1);
  Rank zero(job, 0);
  ASSERT_EQ(zero.open(), "");
  Fd fd = connect_to(port_of_rank(0));
  const HelloBytes hello = one.hello(job, 0);
  put(fd.get(), hello.data(), hello.size());
  AnswerBytes answer;
  ASSERT_TRUE(one.read(zero, fd.get(), answer));
  const ProofBytes proof = one.notary().write_proof(hello, answer);
  put(fd.get(), proof.data(), proof.size());
  const Frame frame{1 << 20, 0, FrameKind::kMessage, 2, 0, 0};
  put(fd.get(), &frame, sizeof frame);
  const std::string part(10'000, 'p');
  put(fd.get(), part.data(), part.size());
  ASSERT_TRUE(drive({&zero}, [&] { return zero.count(Counter::kPlacedBytes) == part.size(); }));
  fd.reset();
  ASSERT_TRUE(drive({&zero}, [&] { return zero.failures.size() == 1; }));
  EXPECT_EQ(zero.failures[0].status, Errc::kPeerGone);
  EXPECT_EQ(zero.abandoned, 1);
}

// Open MPI issue 7246, libfabric issue 5296.
TEST_F(Connecting, WithoutDescriptorsACallerWaitsAndNobodySpins) {
  g_params.retries = 100;
  Rank zero(job, 0);
  Rank one(job, 1);
  ASSERT_EQ(zero.open(), "");
  ASSERT_EQ(one.open(), "");
  const auto rail = zero.reach(1).rails[0];
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit low{128, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<Fd> hogs;
  for (int fd; (fd = ::open("/dev/null", O_RDONLY)) >= 0;) hogs.emplace_back(fd);
  hogs.pop_back();  // one is left: for the caller's socket
  Letter letter(1, "", "patient");
  ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kPending);
  EXPECT_TRUE(drive({&zero, &one}, [&] { return one.count(Counter::kAcceptsDelayed) != 0; }));
  for (int i = 0; i < 1000; ++i) one.turn();
  EXPECT_LT(one.count(Counter::kAcceptsDelayed), 10u) << "the listener rests";
  EXPECT_TRUE(one.log_lines.empty()) << "a moment's want is not worth a word";
  EXPECT_TRUE(drive({&zero, &one}, [&] { return !one.log_lines.empty(); }));
  ASSERT_EQ(one.log_lines.size(), 1u);
  EXPECT_NE(one.log_lines[0].find("128 of at most 128 files are open"), std::string::npos)
      << one.log_lines[0];
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
  EXPECT_TRUE(drive({&zero, &one}, [&] { return one.received.size() == 1; }));
  EXPECT_TRUE(zero.failures.empty());
}

class Hogs {
 public:
  Hogs() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &old_), 0);
    const rlimit low{128, old_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
    for (int fd; (fd = ::open("/dev/null", O_RDONLY)) >= 0;) hogs_.emplace_back(fd);
  }
  ~Hogs() { ::setrlimit(RLIMIT_NOFILE, &old_); }

 private:
  rlimit old_{};
  std::vector<Fd> hogs_;
};

// A wait for a descriptor of our own is no attempt: the peer had no part in it.
TEST_F(Connecting, AWaitForADescriptorIsNoAttempt) {
  g_params.retries = 0;
  g_params.connect_timeout_ns = 60'000'000'000;
  Rank zero(job, 0);
  Rank one(job, 1);
  zero.log_level = btl::LogLevel::kDebug;
  ASSERT_EQ(zero.open(), "");
  ASSERT_EQ(one.open(), "");
  const auto rail = zero.reach(1).rails[0];
  const auto waits = [&] {
    return std::count_if(zero.log_lines.begin(), zero.log_lines.end(), [](const std::string& line) {
      return line.find("waits for a file descriptor") != std::string::npos;
    });
  };
  Letter letter(1, "", "patient");
  {
    const Hogs hogs;
    ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kPending);
    EXPECT_TRUE(drive({&zero, &one}, [&] { return waits() >= 4; }));
  }
  EXPECT_TRUE(drive({&zero, &one}, [&] { return one.received.size() == 1; }));
  EXPECT_TRUE(zero.failures.empty());
  EXPECT_EQ(zero.count(Counter::kDialsRepeated), 0u);
}

TEST_F(Connecting, AWaitForADescriptorEndsWithTheNumbers) {
  g_params.retries = 100;
  g_params.connect_timeout_ns = 50'000'000;
  Rank zero(job, 0);
  Rank one(job, 1);
  ASSERT_EQ(zero.open(), "");
  ASSERT_EQ(one.open(), "");
  const auto rail = zero.reach(1).rails[0];
  const Hogs hogs;
  Letter letter(1, "", "in vain");
  ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kPending);
  EXPECT_TRUE(drive({&zero, &one}, [&] { return letter.completions == 1; }));
  ASSERT_EQ(zero.failures.size(), 1u);
  EXPECT_EQ(zero.failures[0].status, Errc::kUnreachable);
  EXPECT_NE(zero.failures[0].text.find("128 of at most 128 files are open"), std::string::npos)
      << zero.failures[0].text;
}

// Idle rails of a peer with several make room for a new peer; nothing is lost on them, and one stays.
TEST_F(Connecting, WithoutDescriptorsIdleRailsAreGivenBack) {
  g_params.retries = 100;
  g_params.links = 3;
  FakeJob three(3);
  Rank zero(three, 0);
  Rank one(three, 1);
  Rank two(three, 2);
  for (Rank* rank : {&zero, &one, &two}) ASSERT_EQ(rank->open(), "");
  const auto reach = zero.reach(1);
  std::deque<Letter> letters;
  for (std::size_t i = 0; i < 3; ++i) {
    Letter& letter = letters.emplace_back(1, "", "first");
    ASSERT_EQ(reach.rails[i].module->send(*reach.rails[i].endpoint, letter.descriptor), Posted::kPending);
  }
  ASSERT_TRUE(drive({&zero, &one, &two}, [&] { return one.received.size() == 3; }));
  const auto rail = two.reach(1).rails[0];
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit low{128, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<Fd> hogs;
  for (int fd; (fd = ::open("/dev/null", O_RDONLY)) >= 0;) hogs.emplace_back(fd);
  hogs.pop_back();  // for the caller's socket
  Letter letter(1, "", "through");
  ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kPending);
  EXPECT_TRUE(drive({&zero, &one, &two}, [&] { return one.received.size() == 4; }));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
  EXPECT_TRUE(drive({&zero, &one, &two}, [&] { return zero.failures.size() == 2; }));
  for (const Rank* rank : {&zero, &one}) {
    ASSERT_EQ(rank->failures.size(), 2u);
    for (const Failure& failure : rank->failures)
      EXPECT_EQ(failure.status, Errc::kUnreachable) << failure.text;
  }
  Letter after(1, "", "over the one that stays");
  EXPECT_EQ(reach.rails[0].module->send(*reach.rails[0].endpoint, after.descriptor), Posted::kDone);
  EXPECT_EQ(reach.rails[1].module->send(*reach.rails[1].endpoint, after.descriptor), Posted::kUnreachable);
  EXPECT_TRUE(drive({&zero, &one, &two}, [&] { return one.received.size() == 5; }));
}

struct BadFrame {
  const char* words;
  Frame frame;
};
class BadFrames : public Connecting, public ::testing::WithParamInterface<BadFrame> {};

TEST_P(BadFrames, EndTheConnectionWithAReason) {
  Puppet one(job, 1);
  Rank zero(job, 0);
  ASSERT_EQ(zero.open(), "");
  Fd fd = connect_to(port_of_rank(0));
  const HelloBytes hello = one.hello(job, 0);
  put(fd.get(), hello.data(), hello.size());
  AnswerBytes answer;
  ASSERT_TRUE(one.read(zero, fd.get(), answer));
  const ProofBytes proof = one.notary().write_proof(hello, answer);
  put(fd.get(), proof.data(), proof.size());
  put(fd.get(), &GetParam().frame, kFrameSize);
  ASSERT_TRUE(drive({&zero}, [&] { return zero.failures.size() == 1; }));
  EXPECT_EQ(zero.failures[0].status, Errc::kProtocol);
  EXPECT_NE(zero.failures[0].text.find(GetParam().words), std::string::npos) << zero.failures[0].text;
  EXPECT_TRUE(zero.received.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFrames,
    ::testing::Values(BadFrame{"out of sequence", {0, 5, FrameKind::kMessage, 1, 0, 0}},
                      BadFrame{"unknown kind", {0, 0, static_cast<FrameKind>(9), 1, 0, 0}},
                      BadFrame{"header that is too long", {0, 0, FrameKind::kMessage, 1, 89, 0}},
                      BadFrame{"larger than", {std::uint64_t{1} << 40, 0, FrameKind::kMessage, 1, 0, 0}},
                      BadFrame{"padded for nothing", {4, 0, FrameKind::kMessage, 1, 0, 1}},
                      BadFrame{"padded for nothing", {64 * 1024, 0, FrameKind::kMessage, 1, 0, 64}},
                      BadFrame{"tag that nobody handles", {0, 0, FrameKind::kMessage, 99, 0, 0}}));

// All ranks call all others at once, each from its own thread, over two links, with delays between the rails
// and before the publication: one connection for each pair and link, nothing dropped, nothing lost.
TEST(AllAtOnce, OneConnectionForEachPairAndLink) {
  static constexpr std::uint32_t kRanks = 4;
  static constexpr std::uint32_t kLinks = 2;
  constexpr std::uint64_t kPairs = kRanks * (kRanks - 1) / 2;
  for (const char* hook : {"tcp.between_rails", "tcp.before_publish"}) {
    hooks::set(
        hook, [](void*) { std::this_thread::sleep_for(std::chrono::microseconds(now_ns() % 300)); }, nullptr);
  }
  for (int round = 0; round < 30; ++round) {
    reset_params();
    g_params.links = kLinks;
    FakeJob fresh(kRanks);
    std::vector<std::unique_ptr<Rank>> ranks;
    for (std::uint32_t i = 0; i < kRanks; ++i) {
      ranks.push_back(std::make_unique<Rank>(fresh, i));
      ASSERT_EQ(ranks[i]->open(), "");
    }
    std::atomic<std::uint32_t> finished{0};
    std::vector<std::thread> threads;
    for (auto& rank : ranks) {
      threads.emplace_back([&rank, &finished] {
        std::deque<Letter> letters;
        for (std::uint32_t peer = 0; peer < kRanks; ++peer) {
          if (peer == rank->job().rank) continue;
          const auto reach = rank->reach(peer);
          EXPECT_EQ(reach.count, kLinks) << reach.reason;
          for (std::size_t i = 0; i < reach.count; ++i) {
            Letter& letter = letters.emplace_back(1, "", std::string(100'000, 'x'));
            const Posted posted = reach.rails[i].module->send(*reach.rails[i].endpoint, letter.descriptor);
            EXPECT_TRUE(posted == Posted::kDone || posted == Posted::kPending);
            letter.completions += posted == Posted::kDone;
          }
        }
        EXPECT_TRUE(drive({rank.get()}, [&] {
          for (const Letter& letter : letters) {
            if (letter.completions == 0) return false;
          }
          return rank->received.size() == (kRanks - 1) * kLinks;
        })) << rank->received.size();
        finished.fetch_add(1);
        drive({rank.get()}, [&] { return finished.load() == kRanks; });
      });
    }
    for (auto& thread : threads) thread.join();
    std::uint64_t made = 0;
    std::uint64_t accepted = 0;
    for (auto& rank : ranks) {
      made += rank->count(Counter::kConnectionsMade);
      accepted += rank->count(Counter::kAccepted);
      EXPECT_EQ(rank->count(Counter::kDroppedInbound), 0u);
      EXPECT_TRUE(rank->failures.empty()) << rank->failures[0].text;
    }
    ASSERT_EQ(made, kPairs * kLinks) << "round " << round;
    ASSERT_EQ(accepted, kPairs * kLinks) << "round " << round;
  }
  for (const char* hook : {"tcp.between_rails", "tcp.before_publish"}) hooks::set(hook, nullptr, nullptr);
}

TEST_F(Connecting, ManyThreadsFirstTouchAPeerWhileItCalls) {
  Rank zero(job, 0);
  Rank one(job, 1);
  g_params.links = 2;
  ASSERT_EQ(zero.open(), "");
  ASSERT_EQ(one.open(), "");
  const auto back = one.reach(0).rails[1];
  Letter call(1, "", "call");
  ASSERT_EQ(back.module->send(*back.endpoint, call.descriptor), Posted::kPending);
  hooks::set(
      "tcp.between_rails", [](void*) { std::this_thread::yield(); }, nullptr);
  std::vector<btl::Reach> reaches(16);
  std::vector<std::thread> threads;
  for (auto& reach : reaches) {
    threads.emplace_back([&] { reach = zero.reach(1); });
  }
  EXPECT_TRUE(drive({&zero, &one}, [&] { return zero.received.size() == 1; }));
  for (auto& thread : threads) thread.join();
  hooks::set("tcp.between_rails", nullptr, nullptr);
  for (const auto& reach : reaches) {
    ASSERT_EQ(reach.count, 2u) << reach.reason;
    EXPECT_EQ(reach.rails[0].endpoint, reaches[0].rails[0].endpoint);
    EXPECT_EQ(reach.rails[1].endpoint, reaches[0].rails[1].endpoint);
  }
  EXPECT_EQ(zero.count(Counter::kDroppedInbound), 0u);
}

}  // namespace
}  // namespace hawser::tcp::testing
