// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Rails that come and go, and what their failures mean.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bml/ranking.hpp"
#include "framework/base/hooks.hpp"
#include "pml/channel.hpp"
#include "tests/fakes/world_of_rails.hpp"

namespace hawser::bml {
namespace {

using btl::Posted;
using fakes::FakeRail;
using fakes::Numbered;
using fakes::WorldOfRails;

constexpr btl::Tag kTag = 0x40;

/// Takes messages with a number, and keeps the order.
struct Arrivals {
  explicit Arrivals(WorldOfRails& world) {
    world.world.runtime->handler_table().entries[kTag] = {
        [](void* self, const btl::Message& message) noexcept {
          std::uint32_t number = 0;
          std::memcpy(&number, message.header, sizeof number);
          static_cast<Arrivals*>(self)->numbers.push_back(number);
        },
        nullptr, nullptr, this};
  }
  std::vector<std::uint32_t> numbers;
};

std::vector<std::uint32_t> first_numbers(std::uint32_t count) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(i);
  return all;
}

void deliver_all(WorldOfRails& world) {
  for (int turn = 0; turn < 8; ++turn) {
    for (auto& rail : world.rails) {
      while (rail->held() != 0) rail->complete(0);
      while (rail->on_way() != 0) rail->arrive(0);
    }
    world.progress();
  }
}

TEST(RailSets, AnOlderPluginHasNoTakerWhateverItSays) {
  constexpr std::uint32_t kAll = btl::kFlagSend | btl::kFlagOrdered | btl::kFlagTakes;
  const btl::Attributes said{1, kAll, 10, 10, 10, 1, 10, 100, 1000};
  EXPECT_EQ(as_of(0, said).flags, kAll & ~btl::kFlagTakes);
  EXPECT_EQ(as_of(1, said).flags, kAll & ~btl::kFlagTakes);
  EXPECT_EQ(as_of(2, said).flags, kAll);
  EXPECT_EQ(as_of(1, said).max_send_size, 10u);
}

TEST(RailSets, ARailThatStaysKeepsItsIdAndItsDeath) {
  std::vector<std::unique_ptr<FakeRail>> rails;
  const auto rail_of = [&](std::size_t i) {
    return Rail{rails[i].get(), &rails[i]->endpoint(), nullptr, rails[i]->attributes(), 0, 0, "fake"};
  };
  for (std::uint32_t i = 0; i < 100; ++i) {
    const btl::Attributes limits{1, btl::kFlagSend, 10, 10, 10, 1, 10, 100, 1000 + i};
    rails.push_back(std::make_unique<FakeRail>("fake", limits));
  }
  std::mt19937 random(2);
  std::vector<std::unique_ptr<RailSet>> sets;
  sets.push_back(rank_rails({rail_of(0)}));
  for (int round = 0; round < 300; ++round) {
    std::vector<Rail> next;
    const unsigned share = 1 + random() % 10;
    for (std::size_t i = 0; i < rails.size(); ++i) {
      if (random() % 10 < share) next.push_back(rail_of(i));
    }
    if (next.empty()) continue;
    const RailSet& before = *sets.back();
    auto set = rank_rails(next, &before);
    ASSERT_LE(set->send.size(), btl::kMaxRails);
    std::uint64_t ids = 0;
    for (const Rail& rail : set->send) {
      ASSERT_LT(rail.id, btl::kMaxRails);
      ASSERT_EQ(ids >> rail.id & 1, 0u) << "one id for two rails";
      ids |= 1ull << rail.id;
      const Rail* old = before.find(rail.endpoint);
      if (old) {
        ASSERT_EQ(rail.id, old->id);
      }
      ASSERT_EQ(set->alive(rail), !old || before.alive(*old));
      if (random() % 8 == 0) set->kill(rail);
    }
    sets.push_back(std::move(set));
  }
}

TEST(RailsThatChange, WhatWaitsGoesOverTheNewOnesInOrder) {
  WorldOfRails world("never");
  Arrivals arrivals(world);
  FakeRail& old = world.make_rail();
  world.set_rails({&old});
  Peer& peer = world.peer();
  old.mood = [] { return FakeRail::How::kNoRoom; };
  std::vector<std::unique_ptr<Numbered>> all;
  for (std::uint32_t i = 0; i < 20; ++i) {
    all.push_back(std::make_unique<Numbered>(kTag, i));
    ASSERT_EQ(world.bml().send(peer, all.back()->descriptor), Posted::kPending);
  }
  FakeRail& fresh = world.make_rail();
  world.set_rails({&fresh});
  old.break_sender(Errc::kUnreachable);
  EXPECT_EQ(&world.peer(), &peer);
  deliver_all(world);
  EXPECT_EQ(arrivals.numbers, first_numbers(20));
  for (const auto& each : all) EXPECT_EQ(each->ends, 1);
  EXPECT_EQ(world.failures, 0);
}

TEST(RailsThatChange, WhatAnOldRailGivesBackFindsTheNewOnes) {
  WorldOfRails world("never");
  Arrivals arrivals(world);
  FakeRail& old = world.make_rail();
  world.set_rails({&old});
  Peer& peer = world.peer();
  old.mood = [] { return FakeRail::How::kHeld; };
  struct Again {
    WorldOfRails& world;
    Peer& peer;
    Numbered message{kTag, 0};
    Posted posted = Posted::kNoResource;
  } again{world, peer};
  again.message.descriptor.owner = &again;
  again.message.descriptor.on_complete = [](btl::Descriptor& descriptor, Errc status) noexcept {
    auto& me = *static_cast<Again*>(descriptor.owner);
    if (status == Errc::kUnreachable) me.posted = me.world.bml().send_again(me.peer, descriptor);
  };
  ASSERT_EQ(world.bml().send(peer, again.message.descriptor), Posted::kPending);
  old.break_receiver();  // it is not sent
  FakeRail& fresh = world.make_rail();
  world.set_rails({&fresh});
  old.break_sender(Errc::kUnreachable);
  EXPECT_EQ(again.posted, Posted::kDone);
  deliver_all(world);
  EXPECT_EQ(arrivals.numbers, first_numbers(1));
}

// A component that replaces all rails of a peer at once says that the old ones failed before it says so.
TEST(RailsThatChange, ReplacedAllAtOnceTheyMayFailFirst) {
  WorldOfRails world("always");
  Arrivals arrivals(world);
  FakeRail& old = world.make_rail();
  world.set_rails({&old});
  Peer& peer = world.peer();
  Numbered message(kTag, 0);
  ASSERT_NE(world.bml().send(peer, message.descriptor), Posted::kUnreachable);
  old.break_receiver();  // lost
  FakeRail& fresh = world.make_rail();
  world.component.rails = {{&fresh, &fresh.endpoint()}};
  old.break_sender(Errc::kPeerGone);
  world.world.runtime->rail_failed(0, old, old.endpoint(), Errc::kPeerGone, "its address went");
  world.world.runtime->rails_changed(0);
  EXPECT_EQ(world.failures, 0) << world.failure_text;
  deliver_all(world);
  EXPECT_EQ(arrivals.numbers, first_numbers(1));
}

#if defined(HAWSER_HOOKS)
// The sender has loaded a set; it is replaced, and its only rail refused others, before the sender looks.
TEST(RailsThatChange, ASetThatWasReplacedMeanwhileIsNotTheLastWord) {
  WorldOfRails world("never");
  Arrivals arrivals(world);
  struct Moment {
    WorldOfRails& world;
    FakeRail& old;
    FakeRail& fresh;
    Peer* peer = nullptr;
  } moment{world, world.make_rail(), world.make_rail()};
  world.set_rails({&moment.old});
  moment.peer = &world.peer();
  hooks::set(
      "bml.rails_loaded",
      [](void* context) {
        auto& now = *static_cast<Moment*>(context);
        hooks::set("bml.rails_loaded", nullptr, nullptr);
        const RailSet& before = now.peer->rails();
        now.world.set_rails({&now.fresh});
        before.kill(before.send.front());
      },
      &moment);
  Numbered message(kTag, 0);
  EXPECT_EQ(world.bml().send(*moment.peer, message.descriptor), Posted::kDone);
  deliver_all(world);
  EXPECT_EQ(arrivals.numbers, first_numbers(1));
}
#endif

TEST(RailsThatChange, NoneLeftIsSaid) {
  WorldOfRails world;
  FakeRail& only = world.make_rail();
  world.set_rails({&only});
  Peer& peer = world.peer();
  only.mood = [] { return FakeRail::How::kNoRoom; };
  Numbered waiting(kTag, 0);
  ASSERT_EQ(world.bml().send(peer, waiting.descriptor), Posted::kPending);
  world.set_rails({});
  EXPECT_EQ(world.failures, 1);
  EXPECT_EQ(world.failure, Errc::kUnreachable);
  EXPECT_NE(world.failure_text.find("last rail went away"), std::string::npos) << world.failure_text;
  EXPECT_NE(world.failure_text.find("no cable is plugged in"), std::string::npos) << world.failure_text;
  EXPECT_EQ(waiting.ends, 1);
  Numbered late(kTag, 1);
  EXPECT_EQ(world.bml().send(peer, late.descriptor), Posted::kUnreachable);
}

TEST(RailsThatChange, AChangeDuringTheFirstContactIsNotMissed) {
  WorldOfRails world;
  static std::vector<FakeRail*> s_rails;
  s_rails = {&world.make_rail(), &world.make_rail()};
  world.component.on_asked = [](fakes::FakeComponent& self) {
    const std::size_t which = self.asked == 1 ? 0 : 1;
    self.rails = {{s_rails[which], &s_rails[which]->endpoint()}};
    if (self.asked == 1) self.host->rails_changed(0);  // it has just read the old ones
  };
  Peer& peer = world.peer();
  world.progress();
  EXPECT_EQ(world.component.asked, 2);
  EXPECT_EQ(peer.rails().send.front().module, s_rails[1]);
}

TEST(RailsThatChange, ALimitThatFellTurnsAWaitingMessageIntoOneThatAsks) {
  WorldOfRails world("never");
  FakeRail& old = world.make_rail(1000, 4000);
  world.set_rails({&old});
  pml::Channel* channel = world.world.pml->open_channel(1, 0, {0});
  std::string data(900, '\0');
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * 7);
  std::string got(data.size(), '\0');
  old.mood = [] { return FakeRail::How::kNoRoom; };
  pml::Request* send = world.world.pml->isend(*channel, {data.data(), data.size(), nullptr}, 0, 5);
  pml::Request* receive = world.world.pml->irecv(*channel, {got.data(), got.size(), nullptr}, 0, 5);
  FakeRail& narrow = world.make_rail(100, 200);
  world.set_rails({&narrow});
  old.break_sender(Errc::kUnreachable);
  EXPECT_EQ(world.peer().eager_limit.load(), 100u);
  for (int i = 0; i < 10; ++i) deliver_all(world);
  EXPECT_TRUE(send->done());
  EXPECT_TRUE(receive->done());
  EXPECT_EQ(receive->status().error, Errc::kOk);
  EXPECT_TRUE(got == data);
  send->release();
  receive->release();
  std::uint32_t number = 0;
  EXPECT_EQ(world.bml().sendi(world.peer(), {&number, sizeof number, kTag}, data.data(), data.size()),
            Posted::kUnreachable);
  world.world.pml->close_channel(channel);
}

// --- which failure fails whom

TEST(RailFailures, ARailThatNeverConnectedLeavesThePeerToTheOthers) {
  for (const char* guard : {"auto", "never"}) {
    WorldOfRails world(guard);
    FakeRail& a = world.make_rail();
    FakeRail& b = world.make_rail();
    world.set_rails({&a, &b});
    Arrivals arrivals(world);
    Peer& peer = world.peer();
    a.fail(Errc::kUnreachable, "refused");
    EXPECT_EQ(world.failures, 0);
    const std::uint32_t number = 0;
    EXPECT_EQ(world.bml().sendi(peer, {&number, sizeof number, kTag}, nullptr, 0), Posted::kDone);
    deliver_all(world);
    EXPECT_EQ(arrivals.numbers.size(), 1u);
    b.fail(Errc::kUnreachable, "refused too");
    EXPECT_EQ(world.failures, 1);
  }
}

TEST(RailFailures, WithoutAGuardOneThatBrokeFailsThePeer) {
  WorldOfRails world("never");
  FakeRail& a = world.make_rail();
  FakeRail& b = world.make_rail();
  world.set_rails({&a, &b});
  world.peer();
  a.fail(Errc::kPeerGone, "cut");
  EXPECT_EQ(world.failures, 1);
  EXPECT_EQ(
      world.failure_text.find("cut. If the process still runs, there is another rail to it: with bml_guard "
                              "= always (now never)"),
      0u)
      << world.failure_text;
}

// As when the address of the only rail is replaced by another, with bytes under way.
TEST(RailFailures, WithoutAGuardTheRemedyIsNamedIfThereIsAnotherWay) {
  for (const bool other : {false, true}) {
    WorldOfRails world;
    FakeRail& rail = world.make_rail();
    world.set_rails({&rail});
    Numbered message(kTag, 0);
    ASSERT_EQ(world.bml().send(world.peer(), message.descriptor), Posted::kDone);
    if (other) {
      FakeRail& next = world.make_rail();
      world.component.rails = {{&next, &next.endpoint()}};  // it says so only afterwards
    }
    rail.fail(Errc::kPeerGone, "its address went away");
    EXPECT_EQ(world.failures, 1);
    EXPECT_EQ(world.failure_text.find("bml_guard = always") != std::string::npos, other)
        << world.failure_text;
  }
}

TEST(RailFailures, OneBeforeTheFirstContactCountsForItsRailAlone) {
  WorldOfRails world;
  FakeRail& a = world.make_rail();
  FakeRail& b = world.make_rail();
  world.set_rails({&a, &b});
  a.fail(Errc::kPeerGone, "cut");
  EXPECT_EQ(world.failures, 0);
  world.progress();
  EXPECT_EQ(world.failures, 0);
  Peer& peer = world.peer();
  EXPECT_FALSE(peer.rails().alive(*peer.rails().find(&a.endpoint())));
  EXPECT_TRUE(peer.rails().alive(*peer.rails().find(&b.endpoint())));
}

TEST(RailFailures, OneBeforeTheFirstContactIsNotForgottenEither) {
  WorldOfRails world;
  FakeRail& only = world.make_rail();
  world.set_rails({&only});
  only.fail(Errc::kPeerGone, "cut");
  world.progress();
  EXPECT_EQ(world.failures, 1);
  EXPECT_EQ(world.failure, Errc::kPeerGone);
  EXPECT_EQ(world.failure_text, "cut");
}

TEST(RailFailures, ARestartedPeerIsWiredUpAfresh) {
  WorldOfRails world;
  Arrivals arrivals(world);
  FakeRail& old = world.make_rail();
  world.set_rails({&old});
  Peer& before = world.peer();
  old.mood = [] { return FakeRail::How::kNoRoom; };
  Numbered waiting(kTag, 7);
  ASSERT_EQ(world.bml().send(before, waiting.descriptor), Posted::kPending);
  old.fail(Errc::kPeerGone, "it was restarted");
  EXPECT_EQ(world.failures, 1);
  EXPECT_EQ(waiting.ends, 1);
  EXPECT_EQ(waiting.status, Errc::kPeerGone);
  FakeRail& fresh = world.make_rail();
  world.set_rails({&fresh});
  EXPECT_EQ(world.bml().find(0), &before) << "the same process stays failed";
  before.incarnation ^= 1;
  world.set_rails({&fresh});
  EXPECT_EQ(world.bml().find(0), nullptr);
  Peer& after = world.peer();
  EXPECT_NE(&after, &before);
  Numbered late(kTag, 8);
  EXPECT_EQ(world.bml().send(before, late.descriptor), Posted::kUnreachable) << "the old one stays failed";
  EXPECT_EQ(world.bml().send(after, late.descriptor), Posted::kDone);
  deliver_all(world);
  EXPECT_EQ(arrivals.numbers, std::vector<std::uint32_t>{8});
  EXPECT_EQ(world.failures, 1);
}

TEST(RailFailures, APeerThatWasRestartedUnnoticedFailsFirst) {
  WorldOfRails world;
  FakeRail& old = world.make_rail();
  world.set_rails({&old});
  world.peer().incarnation ^= 1;
  world.set_rails({&world.make_rail()});
  EXPECT_EQ(world.failures, 1);
  EXPECT_EQ(world.failure, Errc::kPeerGone);
  EXPECT_NE(world.failure_text.find("restarted"), std::string::npos) << world.failure_text;
  EXPECT_TRUE(world.peer().rails().any_alive());
}

/// One rail, then a second: what went before the guard is not known to have arrived.
struct Grown {
  explicit Grown(std::uint32_t flags = btl::kFlagSend | btl::kFlagOrdered)
      : arrivals(world), first(world.make_rail(1000, 4000, 100, flags)) {
    world.set_rails({&first});
    Peer& peer = world.peer();
    EXPECT_EQ(peer.rails().guard, nullptr);
    const std::uint32_t number = 0;
    EXPECT_EQ(world.bml().sendi(peer, {&number, sizeof number, kTag}, nullptr, 0), Posted::kDone);
    world.set_rails({&first, &world.make_rail()});
    EXPECT_NE(peer.rails().guard, nullptr);
  }
  WorldOfRails world;
  Arrivals arrivals;
  FakeRail& first;
};

TEST(RailFailures, APeerThatGrewASecondRailIsSafeOnlyOnceTheFirstIsProven) {
  {
    Grown grown;
    EXPECT_EQ(grown.first.on_way(), 2u) << "the message, and the mark after it";
    grown.first.fail(Errc::kPeerGone, "cut");
    EXPECT_EQ(grown.world.failures, 1);
  }
  Grown grown;
  deliver_all(grown.world);
  EXPECT_EQ(grown.arrivals.numbers, first_numbers(1));
  grown.first.fail(Errc::kPeerGone, "cut");
  EXPECT_EQ(grown.world.failures, 0);
}

// What is acknowledged may have overtaken what went before it.
TEST(RailFailures, ARailWithoutOrderIsNeverProven) {
  Grown grown(btl::kFlagSend);
  EXPECT_EQ(grown.first.on_way(), 1u) << "the message, and no mark";
  deliver_all(grown.world);
  grown.first.fail(Errc::kPeerGone, "cut");
  EXPECT_EQ(grown.world.failures, 1);
}

TEST(RailFailures, ARestartedPeerIsNotToldOfTheOldOnesMessages) {
  WorldOfRails world;
  Arrivals arrivals(world);
  FakeRail& a = world.make_rail();
  FakeRail& b = world.make_rail();
  world.set_rails({&a, &b});
  Peer& peer = world.peer();
  for (std::uint32_t n = 0; n < 10; ++n) {
    ASSERT_EQ(world.bml().sendi(peer, {&n, sizeof n, kTag}, nullptr, 0), Posted::kDone);
  }
  deliver_all(world);
  peer.incarnation ^= 1;
  a.fail(Errc::kPeerGone, "restarted");
  b.fail(Errc::kPeerGone, "restarted");
  ASSERT_EQ(world.failures, 1);
  FakeRail& c = world.make_rail();
  FakeRail& d = world.make_rail();
  world.set_rails({&c, &d});
  for (int i = 0; i < 5; ++i) world.progress();
  EXPECT_EQ(c.on_way() + d.on_way(), 0u);
  EXPECT_TRUE(world.bml().idle());
  EXPECT_EQ(world.failures, 1) << world.failure_text;
}

TEST(RailFailures, AFailedPeerIsNotRevived) {
  Grown grown;
  Peer& peer = grown.world.peer();
  FakeRail& second = *grown.world.rails[1];
  FakeRail& third = grown.world.make_rail();
  grown.world.component.rails = {{&third, &third.endpoint()}};
  grown.first.fail(Errc::kPeerGone, "one");
  ASSERT_TRUE(peer.failed.load());
  second.fail(Errc::kPeerGone, "two");
  EXPECT_FALSE(peer.rails().any_alive());
  std::string bytes(500, 'x');
  int ends = 0;
  Transfer transfer;
  transfer.tag = kTag;
  transfer.peer = &peer;
  transfer.size = bytes.size();
  transfer.base = bytes.data();
  transfer.owner = &ends;
  transfer.on_done = [](Transfer& self, Errc how) noexcept {
    EXPECT_NE(how, Errc::kOk);
    ++*static_cast<int*>(self.owner);
  };
  grown.world.bml().start(transfer);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(grown.world.failures, 1);
}

/// Two endpoints of one module.
struct Both final : btl::Module {
  Both(FakeRail& first, FakeRail& second) : x(first), y(second) {}
  FakeRail& x;
  FakeRail& y;
  FakeRail& of(btl::Endpoint& end) noexcept { return &end == &x.endpoint() ? x : y; }
  const char* name() const noexcept override { return "both"; }
  const btl::Attributes& attributes() const noexcept override { return x.attributes(); }
  Posted sendi(btl::Endpoint& end, btl::Head head, const void* data, std::size_t size) noexcept override {
    return of(end).sendi(end, head, data, size);
  }
  Posted send(btl::Endpoint& end, btl::Descriptor& descriptor) noexcept override {
    return of(end).send(end, descriptor);
  }
  void abandon(btl::Endpoint& end) noexcept override { of(end).abandon(end); }
  btl::Rdma* rdma(btl::Endpoint&) noexcept override { return nullptr; }
  btl::CounterView counters() const noexcept override { return {nullptr, nullptr, 0}; }
};

TEST(RailFailures, OneOfTwoEndpointsOfAModuleFailsAlone) {
  WorldOfRails world;
  Both both(world.make_rail(), world.make_rail());
  world.component.rails = {{&both, &both.x.endpoint()}, {&both, &both.y.endpoint()}};
  Peer& peer = world.peer();
  both.x.break_sender(Errc::kPeerGone);
  world.world.runtime->rail_failed(0, both, both.x.endpoint(), Errc::kPeerGone, "cut");
  EXPECT_EQ(world.failures, 0) << world.failure_text;
  EXPECT_FALSE(peer.rails().alive(*peer.rails().find(&both.x.endpoint())));
  EXPECT_TRUE(peer.rails().alive(*peer.rails().find(&both.y.endpoint())));
}

#if defined(HAWSER_HOOKS)
/// The sender has loaded the set of `a` alone; `next` replaces it before the sender posts.
struct Late {
  explicit Late(bool keeps_first) : arrivals(world), a(world.make_rail()), b(world.make_rail()) {
    world.set_rails({&a});
    Peer& peer = world.peer();
    if (keeps_first) next.push_back(&a);
    next.push_back(&b);
    hooks::set(
        "bml.rails_loaded",
        [](void* context) {
          auto& me = *static_cast<Late*>(context);
          hooks::set("bml.rails_loaded", nullptr, nullptr);
          me.world.set_rails(me.next);
        },
        this);
    EXPECT_EQ(world.bml().send(peer, message.descriptor), Posted::kDone);
  }
  WorldOfRails world;
  Arrivals arrivals;
  FakeRail& a;
  FakeRail& b;
  std::vector<FakeRail*> next;
  Numbered message{kTag, 0};
};

TEST(RailFailures, AMessageBehindTheMarkIsNotLostInSilence) {
  {
    Late late(true);
    ASSERT_EQ(late.a.on_way(), 3u) << "mark, message, mark";
    late.a.arrive(0);  // the first mark alone proves nothing
    for (int i = 0; i < 5; ++i) {
      while (late.b.on_way() != 0) late.b.arrive(0);
      while (late.a.on_way() > 2) late.a.arrive(2);
      late.world.progress();
    }
    late.a.break_receiver();
    late.a.fail(Errc::kPeerGone, "cut");
    EXPECT_EQ(late.world.failures, 1);
  }
  Late late(true);
  deliver_all(late.world);
  EXPECT_EQ(late.arrivals.numbers, first_numbers(1));
  late.a.fail(Errc::kPeerGone, "cut");
  EXPECT_EQ(late.world.failures, 0) << "the second mark proves the message";
}

TEST(RailFailures, AMessageOnARailThatWasLetGoIsNotLostInSilence) {
  Late late(false);
  late.a.break_receiver();
  late.a.fail(Errc::kPeerGone, "ended before all was confirmed");
  EXPECT_EQ(late.world.failures, 1);
}
#endif

}  // namespace
}  // namespace hawser::bml
