// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Peers that publish anew or are restarted while they are connected, or just before they are.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include "components/tcp/params.hpp"
#include "tests/unit/tcp_puppet.hpp"

namespace hawser::tcp::testing {
namespace {

using btl::Posted;

class Changing : public ::testing::Test {
 protected:
  void SetUp() override {
    reset_params();
    one = std::make_unique<Puppet>(job, 1);
    zero = std::make_unique<Rank>(job, 0);
    ASSERT_EQ(zero->open(), "");
  }
  // The peer has another address now, which is the same one as a new module.
  void move_to(std::uint16_t module) {
    ++one->blob.generation;
    one->blob.addresses[0].first_module = module;
  }
  void send_update(int fd, const std::string& bytes, std::uint32_t sequence = 0) {
    const Frame frame{bytes.size(), sequence, FrameKind::kUpdate, 0, 0, 0};
    put(fd, &frame, sizeof frame);
    put(fd, bytes.data(), bytes.size());
  }
  bool drive_until(const std::function<bool()>& done) { return drive({zero.get()}, done); }

  FakeJob job{2};
  std::unique_ptr<Puppet> one;
  std::unique_ptr<Rank> zero;
};

TEST_F(Changing, ANewerUpdateChangesTheRails) {
  const auto before = zero->reach(1).rails[0];
  const Fd fd = one->call(*zero, one->plain_hello(0));
  move_to(5);
  send_update(fd.get(), encode(one->blob));
  ASSERT_TRUE(drive_until([&] { return !zero->changes.empty(); }));
  EXPECT_EQ(zero->changes, std::vector<std::uint32_t>{1});
  const auto after = zero->reach(1);
  ASSERT_EQ(after.count, 1u);
  EXPECT_NE(after.rails[0].endpoint, before.endpoint);
  EXPECT_EQ(static_cast<Endpoint&>(*after.rails[0].endpoint).facts().their_module, 5);
  Letter letter(1, "", "late");
  EXPECT_EQ(before.module->send(*before.endpoint, letter.descriptor), Posted::kUnreachable);
  EXPECT_EQ(before.module->sendi(*before.endpoint, {"", 0, 1}, "", 0), Posted::kUnreachable);
  EXPECT_TRUE(zero->failures.empty()) << zero->failures[0].text;
  EXPECT_EQ(zero->count(Counter::kRailsRetired), 1u);
  EXPECT_EQ(zero->forgotten, 0) << "the modex was asked, though the peer had said it all";
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMallinfoTells = false;  // a sanitizer takes memory from elsewhere
#else
constexpr bool kMallinfoTells = true;
#endif

// A thread may still be inside what is no rail any more, so it stays; but without what it was for.
TEST_F(Changing, WhatOldRailsKeepIsSmall) {
  constexpr int kChanges = 200;
  constexpr std::size_t kMost = 4096;  // bytes for each
  const auto change = [&](int number) {
    Hello hello = one->plain_hello(0);
    hello.from_module = one->blob.addresses[0].first_module;
    const Fd fd = one->call(*zero, hello);
    move_to(static_cast<std::uint16_t>(number));
    send_update(fd.get(), encode(one->blob));
    const std::size_t so_far = zero->changes.size();
    ASSERT_TRUE(drive_until([&] { return zero->changes.size() != so_far; })) << number;
  };
  zero->reach(1);
  for (int i = 1; i <= 20; ++i) ASSERT_NO_FATAL_FAILURE(change(i));
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 21; i <= 20 + kChanges; ++i) ASSERT_NO_FATAL_FAILURE(change(i));
  const std::size_t after = ::mallinfo2().uordblks;
  if (kMallinfoTells) {
    EXPECT_GT(after, before) << "they stay, so this must see them";
    EXPECT_LE(after - before, kChanges * kMost);
  }
  EXPECT_EQ(zero->reach(1).count, 1u);
  EXPECT_EQ(zero->count(Counter::kRailsRetired), 20u + kChanges);
  EXPECT_TRUE(zero->failures.empty()) << zero->failures[0].text;
}

TEST_F(Changing, APairThatStaysKeepsItsConnection) {
  const auto before = zero->reach(1).rails[0];
  const Fd fd = one->call(*zero, one->plain_hello(0));
  ++one->blob.generation;
  one->add_address();
  send_update(fd.get(), encode(one->blob));
  ASSERT_TRUE(drive_until([&] { return zero->count(Counter::kUpdatesReceived) == 1; }));
  zero->turn();
  EXPECT_EQ(zero->reach(1).rails[0].endpoint, before.endpoint);
  EXPECT_TRUE(zero->changes.empty()) << "nothing changed for those who send";
  Letter letter(1, "", "x");
  EXPECT_EQ(before.module->send(*before.endpoint, letter.descriptor), Posted::kDone);
}

TEST_F(Changing, AnUpdateThatIsNotNewerIsIgnored) {
  const auto before = zero->reach(1).rails[0];
  const Fd fd = one->call(*zero, one->plain_hello(0));
  one->blob.addresses[0].first_module = 5;  // and the generation is the old one
  send_update(fd.get(), encode(one->blob));
  ASSERT_TRUE(drive_until([&] { return zero->count(Counter::kUpdatesIgnored) == 1; }));
  zero->turn();
  EXPECT_EQ(zero->reach(1).rails[0].endpoint, before.endpoint);
  EXPECT_TRUE(zero->changes.empty() && zero->failures.empty());
}

TEST_F(Changing, OfSeveralUpdatesAtOnceTheLastCounts) {
  zero->reach(1);
  const Fd fd = one->call(*zero, one->plain_hello(0));
  for (std::uint16_t i = 0; i < 20; ++i) {
    move_to(static_cast<std::uint16_t>(10 + i));
    send_update(fd.get(), encode(one->blob), i);
  }
  ASSERT_TRUE(drive_until(
      [&] { return static_cast<Endpoint&>(*zero->reach(1).rails[0].endpoint).facts().their_module == 29; }));
}

TEST_F(Changing, ABadUpdateEndsTheConnectionWithAReason) {
  struct Case {
    const char* words;
    std::string bytes;
  };
  Blob other = one->blob;
  other.incarnation = 99;
  other.generation = 9;
  std::string cut = encode(one->blob);
  cut.pop_back();
  for (const Case& bad :
       {Case{"cannot be read", cut}, Case{"cannot be read", ""}, Case{"of version", std::string(40, 'x')},
        Case{"addresses of another process", encode(other)},
        Case{"addresses that are too long", std::string(kMaxBlob + 1, 'x')}}) {
    SCOPED_TRACE(bad.words);
    zero = std::make_unique<Rank>(job, 0);
    ASSERT_EQ(zero->open(), "");
    zero->reach(1);
    const Fd fd = one->call(*zero, one->plain_hello(0));
    send_update(fd.get(), bad.bytes);
    ASSERT_TRUE(drive_until([&] { return zero->failures.size() == 1; }));
    EXPECT_EQ(zero->failures[0].status, Errc::kProtocol);
    EXPECT_NE(zero->failures[0].text.find(bad.words), std::string::npos) << zero->failures[0].text;
    EXPECT_TRUE(zero->changes.empty());
  }
}

TEST_F(Changing, AHelloOfANewerGenerationAsksTheModexAgain) {
  const auto before = zero->reach(1).rails[0];
  move_to(5);
  one->publish();
  Hello hello = one->plain_hello(0);
  hello.from_module = 5;
  EXPECT_EQ(one->ask(*zero, hello), Reply::kWelcome);
  EXPECT_EQ(zero->forgotten, 1);
  EXPECT_EQ(zero->changes, std::vector<std::uint32_t>{1});
  EXPECT_NE(zero->reach(1).rails[0].endpoint, before.endpoint);
  EXPECT_EQ(zero->count(Counter::kDroppedInbound), 0u);
}

TEST_F(Changing, AHelloThatIsAheadOfTheModexIsToldToComeAgain) {
  zero->reach(1);
  Hello hello = one->plain_hello(0);
  hello.from_module = 5;
  hello.from_generation = 2;  // nowhere published yet
  EXPECT_EQ(one->ask(*zero, hello), Reply::kRetry);
  EXPECT_EQ(zero->count(Counter::kDroppedInbound), 0u);
  EXPECT_TRUE(zero->changes.empty() && zero->failures.empty());
}

TEST_F(Changing, AHelloThatIsBehindIsToldToComeAgain) {
  zero->reach(1);
  Hello hello = one->plain_hello(0);
  hello.to_module = 7;
  hello.to_generation = 0;
  EXPECT_EQ(one->ask(*zero, hello), Reply::kRetry);
  hello.to_generation = 1;
  EXPECT_EQ(one->ask(*zero, hello), Reply::kNoSuchRail) << "both know all of each other, and do not agree";
  EXPECT_EQ(zero->count(Counter::kDroppedInbound), 1u);
}

TEST_F(Changing, ACallerThatIsToldToComeAgainAsksTheModex) {
  const auto before = zero->reach(1).rails[0];
  Letter letter(1, "", "x");
  ASSERT_EQ(before.module->send(*before.endpoint, letter.descriptor), Posted::kPending);
  one->start_nonblocking();
  Fd theirs = one->accept(*zero);
  HelloBytes hello;
  ASSERT_TRUE(one->read(*zero, theirs.get(), hello));
  move_to(5);
  one->publish();
  const AnswerBytes answer = one->notary().write_answer(hello, {Reply::kRetry, make_nonce()});
  put(theirs.get(), answer.data(), answer.size());
  ASSERT_TRUE(drive_until([&] { return letter.completions == 1; }));
  EXPECT_EQ(letter.status, Errc::kUnreachable) << "handed back, for the new rail";
  EXPECT_EQ(zero->changes, std::vector<std::uint32_t>{1});
  EXPECT_TRUE(zero->failures.empty());
  const auto after = zero->reach(1).rails[0];
  ASSERT_EQ(after.module->send(*after.endpoint, letter.descriptor), Posted::kPending);
  theirs = one->accept(*zero);
  ASSERT_TRUE(one->read(*zero, theirs.get(), hello));
  const char* why = "";
  EXPECT_EQ(one->notary().read_hello(hello, why)->to_module, 5);
  EXPECT_EQ(one->notary().read_hello(hello, why)->to_generation, 2u);
  zero->close();  // the letter is given back before it goes
}

TEST_F(Changing, ARestartedPeerThatCallsIsANewOne) {
  const auto before = zero->reach(1).rails[0];
  const Fd old = one->call(*zero, one->plain_hello(0));
  one->blob.incarnation = 78;
  one->publish();
  const Fd fresh = one->call(*zero, one->plain_hello(0));
  ASSERT_EQ(zero->failures.size(), 1u);
  EXPECT_EQ(zero->failures[0].status, Errc::kPeerGone);
  EXPECT_NE(zero->failures[0].text.find("rank 1 on testhost was restarted"), std::string::npos)
      << zero->failures[0].text;
  EXPECT_EQ(zero->changes, std::vector<std::uint32_t>{1});
  Letter letter(1, "", "to the new one");
  EXPECT_EQ(before.module->send(*before.endpoint, letter.descriptor), Posted::kUnreachable);
  const auto after = zero->reach(1).rails[0];
  EXPECT_EQ(after.module->send(*after.endpoint, letter.descriptor), Posted::kDone);
  std::array<char, kFrameSize + 14> bytes;
  EXPECT_TRUE(one->read(*zero, fresh.get(), bytes));
}

TEST_F(Changing, AnIncarnationThatIsNotPublishedIsRefused) {
  const auto before = zero->reach(1).rails[0];
  Hello hello = one->plain_hello(0);
  hello.from_incarnation = 79;
  EXPECT_EQ(one->ask(*zero, hello), Reply::kWrongPeer);
  EXPECT_EQ(zero->reach(1).rails[0].endpoint, before.endpoint);
  EXPECT_TRUE(zero->failures.empty() && zero->changes.empty());
}

// Ports of this process alone, below those that the system gives away: other tests may run beside it.
const auto kPort = static_cast<std::uint16_t>(20'000 + ::getpid() % 1000 * 10);

// What a process offers, by hand: the address of loopback, on one device and then on another.
class Offering : public ::testing::Test {
 protected:
  void SetUp() override {
    reset_params();
    g_params.port_min_v4 = kPort;
    g_params.port_range_v4 = 2;
  }
  bool on_device(std::uint32_t index) {
    interfaces::Interface loopback;
    loopback.name = loopback.label = "lo";
    loopback.address = *interfaces::IpAddress::parse("127.0.0.1");
    loopback.prefix = 8;
    loopback.index = index;
    loopback.properties = interfaces::kLoopback;
    return offer.adopt({loopback}).has_value();
  }
  std::uint16_t port() { return offer.snapshot()->addresses[0].port; }

  FakeJob job{2};
  Rank host{job, 0};
  Context context{host, g_params, host.component()};
  Acceptor acceptor{context, host.component()};
  Offer offer{context, acceptor};
};

TEST_F(Offering, AnotherDeviceHasItsListenerBeforeTheOldOneGoes) {
  ASSERT_TRUE(on_device(1));
  EXPECT_EQ(port(), kPort);
  ASSERT_TRUE(on_device(2));
  EXPECT_EQ(port(), kPort + 1) << "the old one was still there";
  ASSERT_TRUE(on_device(3));
  EXPECT_EQ(port(), kPort) << "which ended afterwards";
}

TEST_F(Offering, APortThatIsTheOnlyOneChangesHands) {
  g_params.port_range_v4 = 1;
  ASSERT_TRUE(on_device(1));
  ASSERT_TRUE(on_device(2));
  EXPECT_EQ(port(), kPort);
  const Fd caller = connect_to(kPort);
}

TEST_F(Offering, WhenModulesRunOutPeopleAreTold) {
  g_params.links = kMaxLinks;
  const auto rounds = ModuleTable::kCapacity / kMaxLinks;
  for (std::uint32_t round = 0; round < rounds; ++round) ASSERT_TRUE(on_device(1 + round % 2));
  EXPECT_TRUE(host.log_lines.empty());
  const std::uint16_t last = port();
  EXPECT_FALSE(on_device(9));
  ASSERT_EQ(host.log_lines.size(), 1u);
  EXPECT_NE(host.log_lines[0].find("all 8192 modules are used up"), std::string::npos) << host.log_lines[0];
  const Fd caller = connect_to(last);  // what was there serves on
}

// Two addresses, each on a device of its own, with one port each; of the second it is taken.
class FewPorts : public Offering {
 protected:
  void SetUp() override {
    Offering::SetUp();
    g_params.port_range_v4 = 1;
    taken.push_back(acceptor.bind(device(1)));
    ASSERT_TRUE(taken[0]) << taken[0].error().text;
  }
  static interfaces::Interface device(std::uint32_t number, std::uint32_t properties = 0) {
    interfaces::Interface result;
    result.name = result.label = "e" + std::to_string(number);
    result.address = *interfaces::IpAddress::parse("127.0.0." + std::to_string(1 + number));
    result.prefix = 8;
    result.index = 1 + number;
    result.properties = properties;
    return result;
  }
  std::size_t adopt(std::uint32_t properties) {
    const auto adopted = offer.adopt({device(0, properties), device(1, properties)});
    if (!adopted) error = adopted.error().text;
    return offer.snapshot()->addresses.size();
  }
  std::vector<Result<Fd>> taken;
  std::string error;
};

TEST_F(FewPorts, AnInterfaceThatWasNamedIsLeftOutAloud) {
  host.log_level = btl::LogLevel::kError;  // as users have it
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(adopt(interfaces::kNamed), 1u);
    ASSERT_EQ(host.log_lines.size(), 1u) << "said once";
  }
  for (const char* word : {"e1 is not used", "all ports", "127.0.0.2", "btl_tcp_port_range_v4"})
    EXPECT_NE(host.log_lines[0].find(word), std::string::npos) << word << " in: " << host.log_lines[0];
}

TEST_F(FewPorts, AnyOtherIsLeftOutWithAWarningForThoseWhoWantToKnow) {
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(adopt(0), 1u);
    ASSERT_EQ(host.log_lines.size(), 1u);
  }
  EXPECT_NE(host.log_lines[0].find("e1 is not used: all ports"), std::string::npos) << host.log_lines[0];
}

TEST_F(FewPorts, WithNoneThereIsAnError) {
  taken.push_back(acceptor.bind(device(0)));
  EXPECT_EQ(adopt(0), 0u);
  EXPECT_NE(error.find("no address can be listened on: all ports"), std::string::npos) << error;
}

TEST(Restarting, ACallThatMeetsAnotherProcessFailsOnceAndTheNextOneWorks) {
  reset_params();
  g_params.port_min_v4 = kPort;
  g_params.port_range_v4 = 2;
  FakeJob job(2);
  Rank zero(job, 0);
  ASSERT_EQ(zero.open(), "");
  auto one = std::make_unique<Rank>(job, 1);
  ASSERT_EQ(one->open(), "");
  const auto before = zero.reach(1).rails[0];
  one = std::make_unique<Rank>(job, 1);
  one->close();
  ASSERT_EQ(one->open(), "") << "the same address and port";
  Letter letter(1, "", "to whom it may concern");
  ASSERT_EQ(before.module->send(*before.endpoint, letter.descriptor), Posted::kPending);
  ASSERT_TRUE(drive({&zero, one.get()}, [&] { return letter.completions == 1; }));
  EXPECT_EQ(letter.status, Errc::kPeerGone);
  ASSERT_EQ(zero.failures.size(), 1u);
  EXPECT_NE(zero.failures[0].text.find("was restarted"), std::string::npos) << zero.failures[0].text;
  const auto after = zero.reach(1).rails[0];
  Letter second(1, "", "to the new one");
  ASSERT_EQ(after.module->send(*after.endpoint, second.descriptor), Posted::kPending);
  ASSERT_TRUE(drive({&zero, one.get()}, [&] { return one->received.size() == 1; }));
  EXPECT_EQ(one->received[0].data, "to the new one");
}

// No pair is left, so the rail stays; an end of it is none that the peer announced.
TEST_F(Changing, ARailThatStaysForWantOfOthersStillFails) {
  for (const bool at_once : {false, true}) {
    SCOPED_TRACE(at_once);
    zero = std::make_unique<Rank>(job, 0);
    ASSERT_EQ(zero->open(), "");
    const auto before = zero->reach(1).rails[0];
    Fd fd = one->call(*zero, one->plain_hello(0));
    Blob elsewhere = one->blob;
    ++elsewhere.generation;
    elsewhere.addresses[0].first_module = 5;
    elsewhere.addresses[0].candidate.address = *interfaces::IpAddress::parse("10.9.8.7");
    elsewhere.addresses[0].candidate.properties = interfaces::kNamed;
    send_update(fd.get(), encode(elsewhere));
    if (!at_once) {
      ASSERT_TRUE(drive_until([&] { return zero->count(Counter::kUpdatesReceived) == 1; }));
      for (int i = 0; i < 10; ++i) zero->turn();
      EXPECT_TRUE(zero->failures.empty());
    }
    fd.reset();
    ASSERT_TRUE(drive_until([&] { return zero->failures.size() == 1; }));
    EXPECT_EQ(zero->failures[0].status, Errc::kPeerGone);
    EXPECT_NE(zero->failures[0].text.find("without saying goodbye"), std::string::npos)
        << zero->failures[0].text;
    EXPECT_EQ(zero->reach(1).rails[0].endpoint, before.endpoint);
  }
}

TEST_F(Changing, AGenerationThatChangesNoPairIsKnownAfterwards) {
  const auto before = zero->reach(1).rails[0];
  const Fd fd = one->call(*zero, one->plain_hello(0));
  one->blob.generation = 7;
  send_update(fd.get(), encode(one->blob));
  ASSERT_TRUE(drive_until([&] { return zero->count(Counter::kUpdatesReceived) == 1; }));
  zero->turn();
  EXPECT_EQ(one->ask(*zero, one->plain_hello(0)), Reply::kDuplicate);
  EXPECT_EQ(zero->forgotten, 0) << "what the hello said was known";
  EXPECT_EQ(zero->reach(1).rails[0].endpoint, before.endpoint);
  EXPECT_TRUE(zero->changes.empty());
}

// The peer gave the rail up, and then its address goes: what it still sends arrives.
TEST_F(Changing, ARailThatIsAlreadyLeavingIsReadOn) {
  const auto before = zero->reach(1).rails[0];
  const Fd fd = one->call(*zero, one->plain_hello(0));
  const Frame retire{0, 0, FrameKind::kRetire, 0, 0, 0};
  put(fd.get(), &retire, sizeof retire);
  ASSERT_TRUE(drive_until([&] { return zero->failures.size() == 1; }));
  auto& endpoint = static_cast<Endpoint&>(*before.endpoint);
  ASSERT_EQ(endpoint.state(), State::kLeaving);
  endpoint.let_go();
  EXPECT_EQ(endpoint.state(), State::kLeaving);
  EXPECT_EQ(zero->count(Counter::kRailsRetired), 0u);
  const Frame last{4, 1, FrameKind::kMessage, 1, 0, 0};
  put(fd.get(), &last, sizeof last);
  put(fd.get(), "last", 4);
  EXPECT_TRUE(drive_until([&] { return zero->received.size() == 1; }));
}

// Module::abandon: nothing more is placed or delivered, and nothing is reported.
TEST_F(Changing, AnAbandonedRailPlacesAndDeliversNothingMore) {
  const auto rail = zero->reach(1).rails[0];
  const Fd fd = one->call(*zero, one->plain_hello(0));
  const Frame frame{1 << 20, 0, FrameKind::kMessage, 2, 0, 0};
  put(fd.get(), &frame, sizeof frame);
  const std::string part(10'000, 'p');
  put(fd.get(), part.data(), part.size());
  ASSERT_TRUE(drive_until([&] { return zero->count(Counter::kPlacedBytes) == part.size(); }));
  rail.module->abandon(*rail.endpoint);
  EXPECT_EQ(zero->abandoned, 1);
  ::send(fd.get(), part.data(), part.size(), MSG_NOSIGNAL);
  for (int i = 0; i < 100; ++i) zero->turn();
  EXPECT_EQ(zero->count(Counter::kPlacedBytes), part.size());
  EXPECT_TRUE(zero->received.empty() && zero->failures.empty());
  Letter letter(1, "", "x");
  EXPECT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kUnreachable);
}

TEST_F(Changing, ARailAbandonedInADeliveryDeliversNothingMore) {
  const auto rail = zero->reach(1).rails[0];
  const Fd fd = one->call(*zero, one->plain_hello(0));
  zero->on_deliver = [&] { rail.module->abandon(*rail.endpoint); };
  std::string bytes;
  for (std::uint32_t sequence = 0; sequence < 3; ++sequence) {
    const Frame frame{4, sequence, FrameKind::kMessage, 1, 0, 0};
    bytes.append(reinterpret_cast<const char*>(&frame), sizeof frame);
    bytes += "body";
  }
  put(fd.get(), bytes.data(), bytes.size());
  ASSERT_TRUE(drive_until([&] { return !zero->received.empty(); }));
  for (int i = 0; i < 100; ++i) zero->turn();
  EXPECT_EQ(zero->received.size(), 1u);
  EXPECT_TRUE(zero->failures.empty());
}

TEST_F(Changing, ARailAbandonedBeforeItsFirstUseCallsNobody) {
  const auto rail = zero->reach(1).rails[0];
  rail.module->abandon(*rail.endpoint);
  Letter letter(1, "", "x");
  EXPECT_EQ(rail.module->send(*rail.endpoint, letter.descriptor), Posted::kUnreachable);
  for (int i = 0; i < 10; ++i) zero->turn();
  EXPECT_EQ(static_cast<Endpoint&>(*rail.endpoint).state(), State::kFailed);
  EXPECT_EQ(one->ask(*zero, one->plain_hello(0)), Reply::kRailFailed);
}

}  // namespace
}  // namespace hawser::tcp::testing
