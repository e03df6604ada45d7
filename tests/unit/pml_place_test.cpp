// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Messages that are matched when their head has come, and read straight to the user's buffer.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "pml/impl.hpp"
#include "tests/fakes/world_of_one.hpp"

namespace hawser::pml {
namespace {

constexpr std::uint32_t kContext = 2;
constexpr std::size_t kSize = 10'000;
constexpr int kTag = 5;

class PmlPlace : public testing::Test {
 protected:
  fakes::WorldOfOne world;
  Pml& pml = *world.pml;
  Channel& channel = *pml.open_channel(kContext, 0, {0});
  std::vector<char> to = std::vector<char>(kSize);
  const std::vector<char> from = std::vector<char>(kSize, 'x');
  MatchHeader match{kContext, kTag, 0, 0};
  const btl::Handler& eager = world.runtime->handlers().entries[kTagEager];
  btl::Placement out;

  Request* receive(int source = 0, std::size_t room = kSize) {
    return pml.irecv(channel, {to.data(), room, nullptr}, source, kTag);
  }
  btl::Message head(std::size_t size = kSize) {
    return {0, kTagEager, sizeof match, &match, nullptr, size, nullptr};
  }
  bool place(std::size_t size = kSize) { return eager.place(eager.context, head(size), out); }
  /// All of the data are there.
  void arrive_placed(std::size_t size = kSize) {
    std::memcpy(out.memory, from.data(), size);
    btl::Message message = head(size);
    message.data = out.memory;
    message.placed = out.cookie;
    eager.deliver(eager.context, message);
  }
  void tear() {
    btl::Message message = head();
    message.placed = out.cookie;
    eager.abandon(eager.context, message);
  }
  void arrive_whole() {
    btl::Message message = head();
    message.data = from.data();
    eager.deliver(eager.context, message);
  }
  void fail_peer() {
    const bml::Rail& rail = (*world.bml->peer(0))->rails().send[0];
    world.runtime->rail_failed(0, *rail.module, *rail.endpoint, Errc::kSystem, "the cable was cut");
  }
};

TEST_F(PmlPlace, GoesStraightToTheReceiveThatIsFirst) {
  Request* anybody = receive(kAnySource);
  Request* second = receive();
  ASSERT_TRUE(place(6000));
  EXPECT_EQ(out.memory, to.data());
  EXPECT_FALSE(anybody->done());
  EXPECT_FALSE(pml.cancel(*anybody)) << "it is matched";
  arrive_placed(6000);
  ASSERT_TRUE(anybody->done());
  EXPECT_EQ(anybody->status().error, Errc::kOk);
  EXPECT_EQ(anybody->status().size, 6000u);
  EXPECT_EQ(anybody->status().source, 0);
  EXPECT_EQ(anybody->status().tag, kTag);
  EXPECT_EQ(to[5999], 'x');
  arrive_whole();  // once more: dropped
  EXPECT_FALSE(second->done());
  EXPECT_TRUE(pml.cancel(*second));
  anybody->release();
  second->release();
}

TEST_F(PmlPlace, WhatCannotBePlacedIsDeliveredWhole) {
  EXPECT_FALSE(place()) << "nobody receives it yet";
  Request* small = receive(0, 100);
  EXPECT_FALSE(place()) << "it is to be cut";
  match.sequence = 1;
  EXPECT_FALSE(place(50)) << "it is not its turn";
  match.sequence = 0;
  match.source = 1;
  EXPECT_FALSE(place(50)) << "no such source";
  match.source = 0;
  match.tag = -1;
  EXPECT_FALSE(place(50)) << "no tag";
  match.tag = kTag;
  arrive_whole();
  ASSERT_TRUE(small->done());
  EXPECT_EQ(small->status().error, Errc::kTruncated);
  small->release();
}

TEST_F(PmlPlace, TheNextMessageIsMatchedBeforeTheDataAreThere) {
  Request* first = receive();
  Request* second = pml.irecv(channel, {nullptr, 0, nullptr}, 0, kTag + 1);
  MatchHeader ahead{kContext, kTag + 1, 0, 1};
  eager.deliver(eager.context, {0, kTagEager, sizeof ahead, &ahead, nullptr, 0, nullptr});
  EXPECT_FALSE(second->done());
  ASSERT_TRUE(place());
  EXPECT_TRUE(second->done());
  EXPECT_FALSE(first->done());
  arrive_placed();
  EXPECT_TRUE(first->done());
  first->release();
  second->release();
}

TEST_F(PmlPlace, TornAndSentAgainItArrivesOnce) {
  Request* first = receive();
  Request* second = receive();
  ASSERT_TRUE(place());
  tear();
  EXPECT_FALSE(first->done());
  EXPECT_FALSE(place()) << "the second time it comes whole";
  arrive_whole();
  ASSERT_TRUE(first->done());
  EXPECT_EQ(first->status().error, Errc::kOk);
  EXPECT_EQ(to, from);
  arrive_whole();
  EXPECT_FALSE(second->done());
  EXPECT_TRUE(pml.cancel(*second));
  first->release();
  second->release();
}

TEST_F(PmlPlace, TornItEndsWithThePeer) {
  Request* torn = receive();
  ASSERT_TRUE(place());
  tear();
  fail_peer();
  pml.wait(*torn);
  EXPECT_EQ(torn->status().error, Errc::kSystem);
  arrive_whole();  // too late, and harmless
  torn->release();
}

TEST_F(PmlPlace, ItsMemoryIsNotGivenBackWhileItIsReadInto) {
  Request* placed = receive();
  ASSERT_TRUE(place());
  fail_peer();
  Request* other = pml.irecv(channel, {nullptr, 0, nullptr}, 0, kTag + 1);
  pml.wait(*other);  // so all who wait were told
  EXPECT_FALSE(placed->done());
  tear();
  EXPECT_TRUE(placed->done());
  EXPECT_EQ(placed->status().error, Errc::kSystem);
  placed->release();
  other->release();
}

}  // namespace
}  // namespace hawser::pml
