// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A scripted peer plays the events of a tie in both orders, leaves sockets behind, and is a stranger in every
// way.
#include <gtest/gtest.h>

#include "components/tcp/params.hpp"
#include "tests/unit/tcp_puppet.hpp"

namespace hawser::tcp::testing {
namespace {

using btl::Posted;

/// The rank is the higher one: its peer, the puppet, decides.
class Losing : public ::testing::Test {
 protected:
  void SetUp() override {
    reset_params();
    zero = std::make_unique<Puppet>(job, 0);
    one = std::make_unique<Rank>(job, 1);
    ASSERT_EQ(one->open(), "");
    rail = one->reach(0).rails[0];
    ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kPending);
    zero->start_nonblocking();
    theirs = zero->accept(*one);
    ASSERT_TRUE(zero->read(*one, theirs.get(), their_hello));
    ours = connect_to(job.published(1).addresses[0].port);
    our_hello = zero->notary().write_hello(zero->plain_hello(1));
    put(ours.get(), our_hello.data(), our_hello.size());
    ASSERT_TRUE(zero->read(*one, ours.get(), welcome)) << "the lower rank is answered at once";
    ASSERT_EQ(zero->notary().read_answer(our_hello, welcome)->reply, Reply::kWelcome);
  }
  void TearDown() override { one->close(); }
  void say_duplicate() {
    const auto answer = zero->notary().write_answer(their_hello, {Reply::kDuplicate, make_nonce()});
    put(theirs.get(), answer.data(), answer.size());
    theirs.reset();
  }
  void say_proof() {
    const ProofBytes proof = zero->notary().write_proof(our_hello, welcome);
    put(ours.get(), proof.data(), proof.size());
  }
  void expect_the_letter_once() {
    ASSERT_TRUE(drive({one.get()}, [&] { return letter.completions == 1; }));
    EXPECT_EQ(letter.status, Errc::kOk);
    std::array<char, kFrameSize + 5> bytes;
    EXPECT_TRUE(zero->read(*one, ours.get(), bytes));
    EXPECT_EQ(std::string(bytes.data() + kFrameSize, 5), "hello");
    EXPECT_EQ(one->count(Counter::kAccepted), 1u);
    EXPECT_EQ(one->count(Counter::kConnectionsMade), 0u);
    EXPECT_TRUE(one->failures.empty());
  }

  FakeJob job{2};
  std::unique_ptr<Puppet> zero;
  std::unique_ptr<Rank> one;
  btl::Reach::Rail rail{};
  Letter letter{1, "", "hello"};
  Fd theirs;
  Fd ours;
  HelloBytes their_hello{};
  HelloBytes our_hello{};
  AnswerBytes welcome{};
};

TEST_F(Losing, TheRefusalComesBeforeTheProof) {
  say_duplicate();
  for (int i = 0; i < 50; ++i) one->turn();
  say_proof();
  expect_the_letter_once();
}

TEST_F(Losing, TheProofComesBeforeTheRefusal) {
  say_proof();
  for (int i = 0; i < 50; ++i) one->turn();
  say_duplicate();
  expect_the_letter_once();
}

TEST_F(Losing, TheWinnerGivesUpAndTakesTheOther) {
  ours.reset();
  for (int i = 0; i < 50; ++i) one->turn();
  const auto answer = zero->welcome(their_hello);
  put(theirs.get(), answer.data(), answer.size());
  ProofBytes proof;
  ASSERT_TRUE(zero->read(*one, theirs.get(), proof));
  EXPECT_TRUE(zero->notary().check_proof(their_hello, answer, proof));
  ASSERT_TRUE(drive({one.get()}, [&] { return letter.completions == 1; }));
  EXPECT_TRUE(one->failures.empty());
}

// We welcomed the peer's connection, it broke, and we called; the welcome is read only now.
TEST_F(Losing, AWelcomeThatWasTakenBackIsNone) {
  const Answer before{Reply::kWelcome, make_nonce(), 0};
  const auto answer = zero->notary().write_answer(their_hello, before);
  put(theirs.get(), answer.data(), answer.size());
  for (int i = 0; i < 50; ++i) one->turn();
  say_proof();
  expect_the_letter_once();
}

/// We are the lower rank: our call waits for its answer, and the peer's own is parked.
class Winning : public ::testing::Test {
 protected:
  void SetUp() override {
    reset_params();
    ASSERT_EQ(zero.open(), "");
    const auto rail = zero.reach(1).rails[0];
    ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kPending);
    one.start_nonblocking();
    theirs = one.accept(zero);
    ASSERT_TRUE(one.read(zero, theirs.get(), their_hello));
    ours = connect_to(job.published(0).addresses[0].port);
    hello = one.hello(job, 0);
    put(ours.get(), hello.data(), hello.size());
    auto& endpoint = static_cast<Endpoint&>(*rail.endpoint);
    ASSERT_TRUE(drive({&zero}, [&] { return endpoint.state() == State::kTieWon; }));
  }

  FakeJob job{2};
  Puppet one{job, 1};
  Letter letter{1, "", "hello"};
  Rank zero{job, 0};
  Fd theirs;
  Fd ours;
  HelloBytes their_hello{};
  HelloBytes hello{};
};

TEST_F(Winning, TheLoserIsToldWhy) {
  const AnswerBytes welcome = one.welcome(their_hello);
  put(theirs.get(), welcome.data(), welcome.size());
  ProofBytes proof;
  ASSERT_TRUE(one.read(zero, theirs.get(), proof));
  EXPECT_TRUE(one.notary().check_proof(their_hello, welcome, proof));
  AnswerBytes answer;
  ASSERT_TRUE(one.read(zero, ours.get(), answer));
  EXPECT_EQ(one.notary().read_answer(hello, answer)->reply, Reply::kDuplicate);
}

// The second time the winner's hello was played again by somebody, and read first.
class Promoting : public Winning, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Promoting, Promoting, ::testing::Bool());

TEST_P(Promoting, AParkedConnectionTakesThePlaceOfAWinnerThatFails) {
  AnswerBytes answer = one.notary().write_answer(their_hello, {Reply::kDuplicate, make_nonce()});
  if (GetParam()) put(theirs.get(), answer.data(), answer.size());
  theirs.reset();
  ASSERT_TRUE(one.read(zero, ours.get(), answer));
  ASSERT_EQ(one.notary().read_answer(hello, answer)->reply, Reply::kWelcome);
  const ProofBytes proof = one.notary().write_proof(hello, answer);
  put(ours.get(), proof.data(), proof.size());
  ASSERT_TRUE(drive({&zero}, [&] { return letter.completions == 1; }));
  EXPECT_EQ(letter.status, Errc::kOk);
  EXPECT_EQ(zero.count(Counter::kParkedPromoted), 1u);
}

// The first connection broke, and its hello is read after that of the second.
TEST(Leftover, HellosAreReadInTheWrongOrder) {
  for (const std::uint32_t caller : {0u, 1u}) {
    reset_params();
    FakeJob job(2);
    Puppet puppet(job, caller);
    Rank rank(job, 1 - caller);
    ASSERT_EQ(rank.open(), "");
    const Hello older = puppet.plain_hello(1 - caller);
    const HelloBytes hello = puppet.hello(job, 1 - caller);
    const Fd second = connect_to(job.published(1 - caller).addresses[0].port);
    put(second.get(), hello.data(), hello.size());
    AnswerBytes answer;
    ASSERT_TRUE(puppet.read(rank, second.get(), answer));
    EXPECT_EQ(puppet.ask(rank, older), Reply::kDuplicate);
    const ProofBytes proof = puppet.notary().write_proof(hello, answer);
    put(second.get(), proof.data(), proof.size());
    EXPECT_TRUE(drive({&rank}, [&] { return rank.count(Counter::kAccepted) == 1; }));
    EXPECT_EQ(puppet.ask(rank, older), Reply::kDuplicate);
    EXPECT_TRUE(rank.failures.empty());
  }
}

TEST_F(Losing, AnEarlierHelloThatIsReadLateTakesNoPlace) {
  Hello older = zero->plain_hello(1);
  older.number = 0;
  EXPECT_EQ(zero->ask(*one, older), Reply::kDuplicate);
  say_proof();
  expect_the_letter_once();
}

// Open MPI pull requests 14403 and 14436: a socket left over is no connection, whatever becomes of the other.
TEST(Leftover, IsNeverAdopted) {
  reset_params();
  FakeJob job(2);
  Puppet one(job, 1);
  Rank zero(job, 0);
  ASSERT_EQ(zero.open(), "");
  const Fd silent = connect_to(job.published(0).addresses[0].port);
  Fd used = one.call(zero, one.plain_hello(0));
  const Frame goodbye{0, 0, FrameKind::kGoodbye, 0, 0, 0};
  put(used.get(), &goodbye, sizeof goodbye);
  used.reset();
  auto& endpoint = static_cast<Endpoint&>(*zero.reach(1).rails[0].endpoint);
  ASSERT_TRUE(drive({&zero}, [&] { return endpoint.state() == State::kClosed; }));
  const HelloBytes hello = one.notary().write_hello(one.plain_hello(0));
  put(silent.get(), hello.data(), hello.size());
  AnswerBytes answer;
  ASSERT_TRUE(one.read(zero, silent.get(), answer));
  EXPECT_EQ(one.notary().read_answer(hello, answer)->reply, Reply::kShuttingDown);
  EXPECT_TRUE(zero.failures.empty());
  EXPECT_EQ(zero.count(Counter::kAccepted), 1u);
}

// MPICH issues 2106 and 3520, Open MPI issues 105 and 754.
TEST(Strangers, OfEveryKindCostNothing) {
  reset_params();
  FakeJob job(2);
  Rank zero(job, 0);
  Rank one(job, 1);
  ASSERT_EQ(zero.open(), "");
  ASSERT_EQ(one.open(), "");
  const std::uint16_t port = job.published(1).addresses[0].port;
  Fd noise = connect_to(port);
  const std::string megabyte(1 << 20, '\x5a');
  ::send(noise.get(), megabyte.data(), megabyte.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  Fd wrong_job = connect_to(port);
  btl::Job other = job.of(0);
  other.id = 1;
  const HelloBytes hello = Notary(other).write_hello(Hello{other.id, 0, 1, 1, 1, 1, 1, 0, 0, make_nonce()});
  put(wrong_job.get(), hello.data(), hello.size());
  Fd reset = connect_to(port);
  put(reset.get(), "abc", 3);
  const linger hard{1, 0};
  ASSERT_EQ(::setsockopt(reset.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard), 0);
  reset.reset();
  const auto rail = zero.reach(1).rails[0];
  Letter letter(1, "", "through");
  ASSERT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kPending);
  ASSERT_TRUE(drive({&zero, &one}, [&] { return one.received.size() == 1; }));
  ASSERT_TRUE(drive({&zero, &one}, [&] { return one.count(Counter::kRefusedStrangers) == 3; }));
  char byte = 0;
  EXPECT_LE(::recv(wrong_job.get(), &byte, 1, MSG_DONTWAIT), 0) << "a stranger got a byte";
  EXPECT_TRUE(one.log_lines.empty() && one.failures.empty());
}

}  // namespace
}  // namespace hawser::tcp::testing
