// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A receive that is waited for looks for its message where that comes, if the rail lets it: who gets what
// stays the same.
#include <gtest/gtest.h>

#include <string>

#include "pml/impl.hpp"
#include "tests/fakes/threads.hpp"
#include "tests/fakes/world_of_rails.hpp"

namespace hawser::pml {
namespace {

constexpr std::uint32_t kContext = 2;
constexpr int kTag = 5;
constexpr std::uint32_t kTakes = btl::kFlagSend | btl::kFlagOrdered | btl::kFlagTakes;

struct PmlTaken : testing::Test {
  explicit PmlTaken(std::uint32_t flags = kTakes, const char* guard = "auto", bool many = false)
      : threads(many), world(guard), rail(world.make_rail(1000, 4000, 100, flags)) {
    world.set_rails({&rail});
  }

  void send(const std::string& data, int tag = kTag) {
    Request* sent = pml.isend(channel, {const_cast<char*>(data.data()), data.size(), nullptr}, 0, tag,
                              SendMode::kStandard);
    ASSERT_TRUE(sent);
    pml.wait(*sent);
    sent->release();
  }
  Status receive(std::size_t room = 8, int tag = kTag) {
    to.assign(room + 4, '-');
    return pml.recv(channel, {to.data(), room, nullptr}, 0, tag);
  }
  Request* post(std::string& into, int source = 0, int tag = kTag) {
    return pml.irecv(channel, {into.data(), into.size(), nullptr}, source, tag);
  }
  /// Every message that is on its way is delivered in the next pass.
  void deliver_in_progress() {
    world.component.on_progress = [this] {
      if (rail.on_way() == 0) return 0;
      rail.arrive(0);
      return 1;
    };
  }

  const fakes::Threads threads;
  fakes::WorldOfRails world;
  fakes::FakeRail& rail;
  Pml& pml = *world.world.pml;
  Channel& channel = *pml.open_channel(kContext, 0, {0});
  std::string to;
};

TEST_F(PmlTaken, IsReceivedWithoutAHandler) {
  for (const std::size_t size : {0u, 1u, 3u, 8u}) {
    send(std::string("abcdefgh", size));
    const Status got = receive();
    EXPECT_EQ(got.error, Errc::kOk);
    EXPECT_EQ(got.source, 0);
    EXPECT_EQ(got.tag, kTag);
    EXPECT_EQ(got.size, size);
    EXPECT_EQ(to, std::string("abcdefgh", size) + std::string(12 - size, '-'));
  }
  EXPECT_EQ(rail.taken, 4);
  EXPECT_EQ(rail.on_way(), 0u);
}

TEST_F(PmlTaken, IsReceivedByARequestThatIsWaitedFor) {
  std::string first(4, '-'), second(4, '-');
  Request* one = post(first);
  Request* two = post(second);
  send("abc");
  send("def");
  pml.wait(*one);
  pml.wait(*two);
  EXPECT_EQ(first, "abc-");
  EXPECT_EQ(second, "def-");
  EXPECT_EQ(rail.taken, 2);
  one->release();
  two->release();
}

// What others wait for, as a rendezvous or a stream over another rail, goes on.
TEST_F(PmlTaken, ComponentsArePolledThoughEachMessageIsThereAlready) {
  constexpr int kMessages = 64;
  int passes = 0;
  deliver_in_progress();
  world.component.on_progress = [&passes, deliver = world.component.on_progress] {
    ++passes;
    return deliver();
  };
  for (int i = 0; i < kMessages; ++i) {
    send("abc");
    EXPECT_EQ(receive().size, 3u);
  }
  EXPECT_GE(rail.taken, kMessages / 2);
  EXPECT_GE(passes, kMessages / 8);
}

TEST_F(PmlTaken, NotFromARailThatIsGone) {
  send("abc");
  rail.fail(Errc::kPeerGone, "the cable was cut");
  deliver_in_progress();
  EXPECT_EQ(receive().size, 3u);
  EXPECT_EQ(rail.looks, 0);
}

TEST_F(PmlTaken, NotByOneThatIsNotTheFirst) {
  std::string first(4, '-'), second(4, '-');
  Request* one = post(first);
  Request* two = post(second);
  send("abc");
  send("def");
  deliver_in_progress();
  pml.wait(*two);
  EXPECT_EQ(rail.looks, 0);
  EXPECT_EQ(first, "abc-");
  EXPECT_EQ(second, "def-");
  one->release();
  two->release();
}

TEST_F(PmlTaken, NotWhileAnyCouldGetIt) {
  std::string any(4, '-');
  Request* wild = post(any, kAnySource, kAnyTag);
  send("abc");
  send("def");
  deliver_in_progress();
  EXPECT_EQ(receive().size, 3u);
  EXPECT_EQ(rail.looks, 0);
  EXPECT_EQ(any, "abc-");
  EXPECT_EQ(to.substr(0, 4), "def-");
  wild->release();
}

TEST_F(PmlTaken, AnotherMessageBeforeItIsDelivered) {
  send("other", kTag + 1);
  send("mine");
  deliver_in_progress();
  EXPECT_EQ(receive().size, 4u);
  EXPECT_EQ(to.substr(0, 5), "mine-");
  EXPECT_EQ(receive(8, kTag + 1).size, 5u);
  EXPECT_EQ(to.substr(0, 6), "other-");
  EXPECT_GT(rail.looks, 0);
  EXPECT_EQ(rail.taken, 0);
}

TEST_F(PmlTaken, NotWhileALaterOneWaitsForItsTurn) {
  send("one");
  send("two");
  rail.arrive(1);
  deliver_in_progress();
  EXPECT_EQ(receive().size, 3u);
  EXPECT_EQ(to.substr(0, 4), "one-");
  EXPECT_EQ(rail.looks, 0);
  EXPECT_EQ(receive().size, 3u);
  EXPECT_EQ(to.substr(0, 4), "two-");
}

TEST_F(PmlTaken, ALongerMessageIsDeliveredAndCut) {
  send("abcdefgh");
  deliver_in_progress();
  const Status got = receive(3);
  EXPECT_EQ(got.error, Errc::kTruncated);
  EXPECT_EQ(to, "abc----");
  EXPECT_EQ(rail.taken, 0);
}

struct PmlNotTaken : PmlTaken {
  using PmlTaken::PmlTaken;
  void expect_delivered() {
    deliver_in_progress();
    send("abc");
    EXPECT_EQ(receive().size, 3u);
    EXPECT_EQ(to.substr(0, 4), "abc-");
    EXPECT_EQ(rail.looks, 0);
  }
};
struct PmlWithoutFlag : PmlNotTaken {
  PmlWithoutFlag() : PmlNotTaken(btl::kFlagSend | btl::kFlagOrdered) {}
};
struct PmlGuarded : PmlNotTaken {
  PmlGuarded() : PmlNotTaken(kTakes, "always") {}
};
struct PmlManyThreads : PmlNotTaken {
  PmlManyThreads() : PmlNotTaken(kTakes, "auto", true) {}
};

// As of a plug-in of an older version, whose table has no such function.
TEST_F(PmlWithoutFlag, IsDelivered) {
  expect_delivered();
}
TEST_F(PmlGuarded, IsDelivered) {
  expect_delivered();
}
TEST_F(PmlManyThreads, IsDelivered) {
  expect_delivered();
}

}  // namespace
}  // namespace hawser::pml
