// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A peer that fails in the middle of each step: everything ends, once, and with a reason.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "bml/ranking.hpp"
#include "pml/impl.hpp"
#include "tests/fakes/fake_module.hpp"
#include "tests/fakes/world_of_one.hpp"

namespace hawser::pml {
namespace {

constexpr std::uint32_t kContext = 2;
constexpr std::size_t kSize = 10'000;

class PmlFailure : public testing::Test {
 protected:
  fakes::WorldOfOne world{{{"btl_self_min_rdma_size", "1g"}, {"btl_self_eager_limit", "1000"}}};
  Pml& pml = *world.pml;
  Channel& channel = *pml.open_channel(kContext, 0, {0});
  std::vector<char> to = std::vector<char>(kSize);
  std::vector<char> from = std::vector<char>(kSize, 'x');

  Buffer room() { return {to.data(), to.size(), nullptr}; }
  void fail(Errc status) {
    const bml::Rail& rail = (*world.bml->peer(0))->rails().send[0];
    world.runtime->rail_failed(0, *rail.module, *rail.endpoint, status, "the cable was cut");
  }
  void ends(Request* request, Errc status) {
    pml.wait(*request);
    EXPECT_EQ(request->status().error, status);
    ASSERT_NE(request->status().why, nullptr) << "no reason";
    EXPECT_NE(std::string(request->status().why).find("the cable was cut"), std::string::npos);
    request->release();
  }

  /// What a peer would send.
  btl::Message message(btl::Tag tag, const void* header, std::size_t size, const void* data = nullptr,
                       std::size_t data_size = 0) {
    return {0, tag, static_cast<std::uint8_t>(size), header, data, data_size, nullptr};
  }
  void deliver(const btl::Message& what) { EXPECT_TRUE(world.runtime->handlers().deliver(what)); }
  void announce(std::uint32_t sequence) {
    const RendezvousHeader header{{kContext, 1, 0, sequence}, kSize, 4711, 0, {}, 0, 0};
    deliver(message(kTagRendezvous, &header, sizeof header));
  }
  /// Posts a receive for an announced message, and gives what its sender is told.
  ClearHeader clear_for(Request*& receive) {
    static ClearHeader heard;
    heard = {};
    world.runtime->handler_table().entries[kTagClear].deliver = [](void*, const btl::Message& told) noexcept {
      std::memcpy(&heard, told.header, sizeof heard);
    };
    receive = pml.irecv(channel, room(), 0, 1);
    announce(0);
    while (heard.receiver_id == 0) pml.progress();
    EXPECT_EQ(heard.sender_id, 4711u);
    EXPECT_EQ(heard.wanted, kSize);
    return heard;
  }
};

TEST_F(PmlFailure, AnnouncedSendsAndPostedReceivesEnd) {
  const Errc status = Errc::kSystem;
  Request* send = pml.isend(channel, {from.data(), from.size(), nullptr}, 0, 1);
  Request* named = pml.irecv(channel, room(), 0, 2);
  Request* anybody = pml.irecv(channel, room(), kAnySource, 3);
  EXPECT_FALSE(send->done());
  fail(status);
  ends(send, status);
  ends(named, status);
  ends(anybody, status);
  Status seen;
  // What had come before is there still; what has not come never will.
  ends(pml.irecv(channel, room(), 0, 9), Errc::kPeerGone);
  ends(pml.irecv(channel, room(), kAnySource, 9), Errc::kPeerGone);
  EXPECT_EQ(pml.probe(channel, 0, 9, seen), Errc::kPeerGone);
  EXPECT_NE(Pml::last_error().find("the cable was cut"), std::string::npos);
  ends(pml.isend(channel, {from.data(), 1, nullptr}, 0, 1), Errc::kPeerGone);
  ends(pml.isend(channel, {from.data(), from.size(), nullptr}, 0, 1), Errc::kPeerGone);
  EXPECT_EQ(pml.send(channel, {from.data(), 1, nullptr}, 0, 1), Errc::kPeerGone);
}

// Somebody else has met the new process; it knows nothing of the messages that went before.
TEST_F(PmlFailure, ANewProcessOfAFailedRankGetsNothing) {
  (*world.bml->peer(0))->incarnation ^= 1;
  world.runtime->rails_changed(0);
  ASSERT_TRUE((*world.bml->peer(0))->rails().any_alive());
  for (const std::size_t size : {std::size_t{10}, kSize}) {
    Request* send = pml.isend(channel, {from.data(), size, nullptr}, 0, 1);
    pml.wait(*send);
    EXPECT_EQ(send->status().error, Errc::kPeerGone);
    ASSERT_NE(send->status().why, nullptr);
    EXPECT_NE(std::string(send->status().why).find("restarted"), std::string::npos) << send->status().why;
    send->release();
  }
}

TEST_F(PmlFailure, APeerThatIsGoneIsLeftToTheLauncherFirstAndThenTold) {
  Request* receive = pml.irecv(channel, room(), 0, 2);
  fail(Errc::kPeerGone);
  pml.progress();
  EXPECT_FALSE(receive->done());
  Request* send = pml.isend(channel, {from.data(), 1, nullptr}, 0, 1);
  ends(receive, Errc::kPeerGone);
  ends(send, Errc::kPeerGone);
}

// Whether it was under way, found no rail before the report, or comes after it.
TEST_F(PmlFailure, SendsSayTheSameAsReceives) {
  Request* receive = pml.irecv(channel, room(), 0, 2);
  (*world.bml->peer(0))->failed = true;
  const bml::RailSet& rails = (*world.bml->peer(0))->rails();
  rails.dead = ~0ull;
  Request* early = pml.isend(channel, {from.data(), from.size(), nullptr}, 0, 1);
  EXPECT_FALSE(early->done());
  pml.impl().peer_failed(0, Errc::kSystem, "the cable was cut");
  ends(early, Errc::kSystem);
  ends(receive, Errc::kSystem);
}

// No transport reports it: a peer that said goodbye is no failure to it.
TEST_F(PmlFailure, APeerWithoutRailsThatNobodyReportsIsGone) {
  Request* receive = pml.irecv(channel, room(), 0, 2);
  (*world.bml->peer(0))->failed = true;
  (*world.bml->peer(0))->rails().dead = ~0ull;
  for (Request* request : {pml.isend(channel, {from.data(), from.size(), nullptr}, 0, 1), receive}) {
    pml.wait(*request);
    EXPECT_EQ(request->status().error, Errc::kPeerGone);
    ASSERT_NE(request->status().why, nullptr);
    EXPECT_NE(std::string(request->status().why).find("rank 0 lost rank 0: no way to it is left"),
              std::string::npos)
        << request->status().why;
    request->release();
  }
}

TEST_F(PmlFailure, AnAnnouncedMessageOfAFailedPeerIsNotWaitedFor) {
  announce(0);
  fail(Errc::kSystem);
  for (int i = 0; i < 3; ++i) pml.progress();
  ends(pml.irecv(channel, room(), 0, 1), Errc::kPeerGone);
}

TEST_F(PmlFailure, MemoryIsNotGivenBackWhileASliceIsBeingReadIntoIt) {
  Request* receive = nullptr;
  const ClearHeader clear = clear_for(receive);
  const btl::Handler& slices = world.runtime->handlers().entries[kTagSlice];
  const bml::SliceHeader header{clear.receiver_id, 0};
  btl::Message head = message(kTagSlice, &header, sizeof header, nullptr, 6000);
  btl::Placement place;
  ASSERT_TRUE(slices.place(slices.context, head, place));
  EXPECT_EQ(place.memory, to.data());
  fail(Errc::kSystem);
  ends(pml.irecv(channel, room(), 0, 9), Errc::kSystem);  // so all who wait were told
  EXPECT_FALSE(receive->done()) << "its memory is still written to";
  head.placed = place.cookie;
  slices.abandon(slices.context, head);
  EXPECT_TRUE(receive->done());
  ends(receive, Errc::kSystem);
}

TEST_F(PmlFailure, SlicesThatRepeatDoNotEndAReceiveUnderAPlacement) {
  Request* receive = nullptr;
  const ClearHeader clear = clear_for(receive);
  const btl::Handler& slices = world.runtime->handlers().entries[kTagSlice];
  const bml::SliceHeader header{clear.receiver_id, 0};
  btl::Message head = message(kTagSlice, &header, sizeof header, nullptr, 6000);
  btl::Placement place;
  ASSERT_TRUE(slices.place(slices.context, head, place));
  for (int i = 0; i < 3; ++i) deliver(message(kTagSlice, &header, sizeof header, from.data(), kSize));
  EXPECT_FALSE(receive->done());
  head.data = place.memory;
  head.placed = place.cookie;
  deliver(head);
  EXPECT_TRUE(receive->done());
  EXPECT_EQ(receive->status().error, Errc::kOk);
  EXPECT_EQ(to, from);
  receive->release();
}

TEST_F(PmlFailure, SlicesOutsideTheMessageAreRefused) {
  Request* receive = nullptr;
  const ClearHeader clear = clear_for(receive);
  const btl::Handler& slices = world.runtime->handlers().entries[kTagSlice];
  for (const std::uint64_t offset :
       {std::uint64_t{1}, std::uint64_t{kSize}, ~std::uint64_t{0}, ~std::uint64_t{0} - kSize + 2}) {
    const bml::SliceHeader header{clear.receiver_id, offset};
    btl::Placement place;
    EXPECT_FALSE(
        slices.place(slices.context, message(kTagSlice, &header, sizeof header, nullptr, kSize), place));
  }
  const bml::SliceHeader header{clear.receiver_id, 1};
  deliver(message(kTagSlice, &header, sizeof header, from.data(), kSize));
  pml.wait(*receive);
  EXPECT_EQ(receive->status().error, Errc::kProtocol);
  receive->release();
}

TEST_F(PmlFailure, ClearAndFinishCountOnceAndOnlyForTheirOwn) {
  Request* send = pml.isend(channel, {from.data(), from.size(), nullptr}, 0, 1);
  static RendezvousHeader heard;
  world.runtime->handler_table().entries[kTagRendezvous].deliver =
      [](void*, const btl::Message& told) noexcept { std::memcpy(&heard, told.header, sizeof heard); };
  heard = {};
  while (heard.sender_id == 0) pml.progress();
  const ClearHeader wrong[] = {
      {heard.sender_id, 1, kSize + 1}, {heard.sender_id, 1, 0}, {heard.sender_id + 1, 1, kSize}};
  for (const ClearHeader& clear : wrong) deliver(message(kTagClear, &clear, sizeof clear));
  EXPECT_FALSE(send->done());
  const FinishHeader finish{heard.sender_id};
  for (int i = 0; i < 3; ++i) deliver(message(kTagFinish, &finish, sizeof finish));
  EXPECT_TRUE(send->done());
  EXPECT_EQ(send->status().error, Errc::kOk);
  const ClearHeader late{heard.sender_id, 1, kSize};
  deliver(message(kTagClear, &late, sizeof late));
  send->release();
}

TEST_F(PmlFailure, WhoIsGivenUpIsTold) {
  static GivenUpHeader heard;
  static int times = 0;
  times = 0;
  world.runtime->handler_table().entries[kTagGivenUp].deliver = [](void*, const btl::Message& told) noexcept {
    ++times;
    std::memcpy(&heard, told.header, sizeof heard);
  };
  for (int i = 0; i < 2; ++i) pml.impl().give_up_peer(0, Errc::kOutOfMemory, "the cable was cut");
  while (times == 0) pml.progress();
  for (int i = 0; i < 10; ++i) pml.progress();
  EXPECT_EQ(times, 1);
  EXPECT_EQ(heard.no_memory, 1u);
}

TEST_F(PmlFailure, WhoHearsThatItIsGivenUpWaitsForNothing) {
  Request* receive = pml.irecv(channel, room(), 0, 2);
  const GivenUpHeader header{1, 0};
  deliver(message(kTagGivenUp, &header, sizeof header));
  pml.wait(*receive);
  EXPECT_EQ(receive->status().error, Errc::kPeerGone);
  EXPECT_STREQ(receive->status().why,
               "rank 0 lost rank 0: it has no memory for a message, and gave the way to us up");
  receive->release();
}

TEST(PmlMemory, KeysAreGivenBackHoweverTheSendEnds) {
  fakes::WorldOfOne world;
  PmlImpl impl(*world.runtime, *world.bml);
  const btl::Attributes limits{1, btl::kFlagSend, 100, 100, 1000, 1, 1 << 20, 100, 1000};
  std::vector<char> data(5000);
  const auto peer_over = [](fakes::FakeModule& module, bml::Peer& peer) {
    peer.publish(bml::rank_rails(
        {{&module, &module.endpoint, module.rdma(module.endpoint), module.attributes(), 0, 0, ""}}));
    peer.pending.drain([](btl::Descriptor&) { return true; });
  };
  for (const Errc end : {Errc::kOk, Errc::kPeerGone, Errc::kShutdown}) {
    fakes::FakeModule module(limits, true);
    bml::Peer peer;
    peer_over(module, peer);
    module.always(btl::Posted::kPending);
    Request* send =
        impl.start_rendezvous(peer, {1, 1, 0, 0}, {data.data(), data.size(), nullptr}, false, false);
    EXPECT_EQ(module.registered.load(), 1);
    if (end == Errc::kPeerGone) impl.sends.take(static_cast<SendRequest*>(send)->id);
    if (end == Errc::kPeerGone) static_cast<SendRequest*>(send)->result().why = "gone";
    if (end == Errc::kPeerGone) static_cast<SendRequest*>(send)->part_ended(end);
    ASSERT_TRUE(module.complete(0, end == Errc::kShutdown ? end : Errc::kOk));
    if (end == Errc::kOk) {
      ASSERT_EQ(module.sent.size(), 1u);
      RendezvousHeader header;
      std::memcpy(&header, module.sent[0].header.data(), sizeof header);
      EXPECT_EQ(header.readable, 1u);
      EXPECT_EQ(header.address, reinterpret_cast<std::uint64_t>(data.data()));
      EXPECT_FALSE(send->done());
      impl.finish_arrived(0, {header.sender_id});
    }
    EXPECT_TRUE(send->done()) << "a descriptor that failed has no answer";
    EXPECT_EQ(send->status().error, end);
    EXPECT_EQ(module.registered.load(), 0);
    send->release();
  }
}

}  // namespace
}  // namespace hawser::pml
