// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Exactly once, over cables that break at any moment.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bml/guard_header.hpp"
#include "bml/receipts.hpp"
#include "tests/fakes/world_of_rails.hpp"

namespace hawser::bml {
namespace {

using btl::Posted;
using fakes::FakeRail;
using fakes::Numbered;
using fakes::WorldOfRails;

constexpr btl::Tag kSmall = 0x40;
constexpr btl::Tag kPart = 0x41;

// --- which numbers have arrived

TEST(Receipts, AreThoseOfASet) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    Receipts receipts;
    std::set<std::uint32_t> model;  // distances from the first number
    std::uint32_t next = 0;
    for (int i = 0; i < 5000; ++i) {
      const std::uint32_t distance = next + random() % (round % 2 == 0 ? 8 : kMaxWindow);
      const std::uint32_t number = kFirstNumber + distance;
      const bool known = model.count(distance) != 0;
      ASSERT_EQ(receipts.look(number), known ? Receipts::Look::kKnown : Receipts::Look::kNew);
      if (!known) {
        receipts.take(number);
        model.insert(distance);
      }
      while (model.count(next) != 0) ++next;
      const std::uint64_t state = receipts.state();
      ASSERT_EQ(static_cast<std::uint32_t>(state), kFirstNumber + next);
      for (std::uint32_t bit = 0; bit < 32; ++bit) {
        ASSERT_EQ(state >> (32 + bit) & 1, model.count(next + 1 + bit)) << "bit " << bit;
      }
    }
    EXPECT_EQ(receipts.look(kFirstNumber + next + kMaxWindow), Receipts::Look::kOutside);
    if (next != 0) {
      EXPECT_EQ(receipts.look(kFirstNumber + next - 1), Receipts::Look::kKnown);
    }
  }
}

// --- both ends in one process

/// What arrives, and what it should be.
struct Inbox {
  explicit Inbox(WorldOfRails& world) {
    world.world.runtime->handler_table().entries[kSmall] = {
        [](void* self, const btl::Message& message) noexcept { static_cast<Inbox*>(self)->small(message); },
        nullptr, nullptr, this};
    world.world.runtime->handler_table().entries[kPart] = {
        [](void* self, const btl::Message& message) noexcept { static_cast<Inbox*>(self)->part(message); },
        [](void* self, const btl::Message& head, btl::Placement& out) noexcept {
          return static_cast<Inbox*>(self)->place(head, out);
        },
        [](void* self, const btl::Message& head) noexcept {
          ++static_cast<Inbox*>(self)->abandoned;
          --static_cast<Inbox*>(self)->larges[head_of(head).remote_id].placing;
        },
        this};
  }

  struct Large {
    std::string bytes;
    std::uint64_t received = 0;
    int placing = 0;
  };
  std::map<std::uint32_t, int> smalls;
  std::map<std::uint32_t, std::string> small_bytes;
  std::map<std::uint64_t, Large> larges;
  int abandoned = 0;
  bool wrong = false;

  static SliceHeader head_of(const btl::Message& message) {
    SliceHeader header{};
    std::memcpy(&header, message.header, sizeof header);
    return header;
  }
  void small(const btl::Message& message) {
    std::uint32_t number = 0;
    if (message.header_size != sizeof number) wrong = true;
    std::memcpy(&number, message.header, sizeof number);
    ++smalls[number];
    small_bytes[number].assign(static_cast<const char*>(message.data), message.size);
  }
  bool place(const btl::Message& head, btl::Placement& out) {
    const SliceHeader header = head_of(head);
    Large& large = larges[header.remote_id];
    if (header.offset + head.size > large.bytes.size()) wrong = true;
    ++large.placing;
    out = {large.bytes.data() + header.offset, &large};
    return true;
  }
  void part(const btl::Message& message) {
    const SliceHeader header = head_of(message);
    Large& large = larges[header.remote_id];
    if (header.offset + message.size > large.bytes.size()) return void(wrong = true);
    if (message.placed) {
      --large.placing;
    } else {
      std::memcpy(large.bytes.data() + header.offset, message.data, message.size);
    }
    large.received += message.size;
    // Whoever has it all may free it: then nobody writes there any more.
    if (large.received == large.bytes.size() && large.placing != 0) wrong = true;
  }
};

/// A large message on its way to the inbox.
struct Sending {
  Transfer transfer;
  std::string bytes;
  int ends = 0;
  Errc status = Errc::kOk;

  Sending(Bml& bml, Peer& peer, Inbox& inbox, std::uint64_t id, std::size_t size) : bytes(size, '\0') {
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 13 + id + i / 256);
    inbox.larges[id].bytes.assign(size, '\0');
    transfer.tag = kPart;
    transfer.peer = &peer;
    transfer.size = size;
    transfer.remote_id = id;
    transfer.owner = this;
    if (id % 2 == 0) {
      transfer.base = bytes.data();
    } else {
      transfer.pack = [](const Transfer& self, void* out, std::uint64_t offset, std::size_t count) noexcept {
        std::memcpy(out, static_cast<Sending*>(self.owner)->bytes.data() + offset, count);
      };
    }
    transfer.on_done = [](Transfer& self, Errc how) noexcept {
      auto& me = *static_cast<Sending*>(self.owner);
      ++me.ends;
      me.status = how;
    };
    bml.start(transfer);
  }
};

/// Delivers everything, until nothing moves any more.
void run_dry(WorldOfRails& world) {
  for (int quiet = 0; quiet < 4;) {
    bool moved = false;
    for (auto& rail : world.rails) {
      if (rail->dead()) {
        rail->break_receiver();
        continue;
      }
      if (rail->placing()) rail->finish_placing();
      while (rail->held() != 0) rail->complete(0);
      while (rail->on_way() != 0) {
        rail->arrive(0);
        moved = true;
      }
    }
    world.progress();
    quiet = moved ? 0 : quiet + 1;
  }
}

struct Two {
  explicit Two(const char* window = "512") : world("auto", window), inbox(world) {
    a = &world.make_rail();
    b = &world.make_rail(1000, 4000, 200);
    world.set_rails({a, b});
    peer = &world.peer();
  }
  Posted send(std::uint32_t number, const std::string& data = "x") {
    return world.bml().sendi(*peer, {&number, sizeof number, kSmall}, data.data(), data.size());
  }
  WorldOfRails world;
  Inbox inbox;
  FakeRail* a;
  FakeRail* b;
  Peer* peer;
};

TEST(Guard, WhatADeadRailLostGoesOverAnother) {
  Two two;
  ASSERT_NE(two.peer->rails().guard, nullptr);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(two.send(i), Posted::kDone);
  EXPECT_EQ(two.a->on_way(), 5u);
  two.a->arrive(0);
  two.a->arrive(0);
  two.a->fail(Errc::kPeerGone, "the first cable was cut");
  two.a->break_receiver();
  run_dry(two.world);
  EXPECT_EQ(two.world.failures, 0);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(two.inbox.smalls[i], 1) << i;
  EXPECT_EQ(two.peer->rails().guard->out(), 0u);
  EXPECT_GE(two.world.bml().count(GuardCounter::kSentAgain), 3u);
  EXPECT_TRUE(two.world.bml().idle());
}

TEST(Guard, ASliceThatIsHalfReadIsGivenUpForItsSecondCopy) {
  Two two;
  Sending large(two.world.bml(), *two.peer, two.inbox, 2, 3000);
  ASSERT_EQ(two.a->on_way() + two.b->on_way(), 1u);
  FakeRail& first = two.a->on_way() == 1 ? *two.a : *two.b;
  FakeRail& second = &first == two.a ? *two.b : *two.a;
  first.begin_placing(0);
  ASSERT_TRUE(first.placing());
  first.fail(Errc::kTimedOut, "nothing was heard");  // at the sender only: the rest still comes in
  two.world.progress();
  ASSERT_EQ(second.on_way(), 1u);
  second.begin_placing(0);
  EXPECT_EQ(first.abandoned, 1);
  EXPECT_EQ(two.inbox.abandoned, 1);
  EXPECT_FALSE(first.placing());
  ASSERT_TRUE(second.placing());
  EXPECT_EQ(large.ends, 0);
  second.finish_placing();
  run_dry(two.world);
  EXPECT_EQ(large.ends, 1);
  EXPECT_EQ(large.status, Errc::kOk);
  EXPECT_EQ(two.inbox.larges[2].bytes, large.bytes);
  EXPECT_EQ(two.inbox.larges[2].received, 3000u);
  EXPECT_EQ(two.world.bml().count(GuardCounter::kGivenUp), 1u);
}

TEST(Guard, AnOlderCopyThatComesLateIsDropped) {
  Two two;
  Sending large(two.world.bml(), *two.peer, two.inbox, 2, 3000);
  FakeRail& first = two.a->on_way() == 1 ? *two.a : *two.b;
  FakeRail& second = &first == two.a ? *two.b : *two.a;
  first.fail(Errc::kTimedOut, "nothing was heard");
  two.world.progress();
  second.begin_placing(0);
  ASSERT_TRUE(second.placing());
  first.arrive(0);  // whole, while the other is half read: that one counts
  EXPECT_EQ(two.inbox.larges[2].received, 0u);
  second.finish_placing();
  EXPECT_EQ(two.inbox.larges[2].received, 3000u);
  run_dry(two.world);
  EXPECT_EQ(large.ends, 1);
  EXPECT_EQ(two.inbox.larges[2].bytes, large.bytes);
  EXPECT_EQ(two.world.bml().count(GuardCounter::kDuplicates), 1u);
}

TEST(Guard, ATransferEndsWhenItIsAcknowledgedAndNoRailHoldsItAnyMore) {
  Two two;
  two.a->mood = two.b->mood = [] { return FakeRail::How::kHeld; };
  Sending large(two.world.bml(), *two.peer, two.inbox, 2, 500);
  FakeRail& rail = two.a->on_way() == 1 ? *two.a : *two.b;
  rail.arrive(0);
  two.a->mood = two.b->mood = nullptr;
  two.world.progress();  // the acknowledgement goes out
  while (two.a->on_way() != 0) two.a->arrive(0);
  while (two.b->on_way() != 0) two.b->arrive(0);
  EXPECT_EQ(two.peer->rails().guard->out(), 0u);
  EXPECT_EQ(large.ends, 0) << "the rail still reads its memory";
  rail.complete(0);
  EXPECT_EQ(large.ends, 1);
  EXPECT_EQ(large.status, Errc::kOk);
}

TEST(Guard, AnAcknowledgementThatWasLostIsSaidAgain) {
  WorldOfRails world;
  Inbox inbox(world);
  FakeRail& a = world.make_rail();
  FakeRail& b = world.make_rail();
  world.set_rails({&a, &b});
  Peer& peer = world.peer();
  std::uint32_t number = 0;
  for (; b.on_way() == 0; ++number) {
    ASSERT_EQ(world.bml().sendi(peer, {&number, sizeof number, kSmall}, nullptr, 0), Posted::kDone);
    while (a.on_way() != 0) a.arrive(0);
  }
  b.arrive(0);
  world.progress();
  world.progress();
  ASSERT_EQ(a.on_way(), 1u) << "the acknowledgement of what came over the second rail";
  ASSERT_EQ(peer.rails().guard->out(), 1u);
  a.fail(Errc::kPeerGone, "cut");
  run_dry(world);
  EXPECT_EQ(peer.rails().guard->out(), 0u) << "nothing is sent again, for the second rail lives";
  EXPECT_EQ(world.bml().count(GuardCounter::kSentAgain), 0u);
  EXPECT_EQ(inbox.smalls[number - 1], 1);
}

TEST(Guard, MoreThanTheWindowWaitsInOrder) {
  Two two("8");
  std::vector<std::unique_ptr<Numbered>> waiting;
  for (std::uint32_t i = 0; i < 30; ++i) {
    if (two.send(i) == Posted::kDone) continue;
    waiting.push_back(std::make_unique<Numbered>(kSmall, i, "x"));
    ASSERT_EQ(two.world.bml().send(*two.peer, waiting.back()->descriptor), Posted::kPending);
  }
  EXPECT_EQ(two.a->on_way(), 8u);
  EXPECT_EQ(waiting.size(), 22u);
  std::uint32_t next = 0;
  for (int turn = 0; turn < 1000 && next < 30; ++turn) {
    for (FakeRail* rail : {two.a, two.b}) {
      while (rail->on_way() != 0) rail->arrive(0);
    }
    while (two.inbox.smalls.count(next) != 0) ++next;
    EXPECT_EQ(two.inbox.smalls.size(), next) << "in order: one rail carried them";
    two.world.progress();
  }
  EXPECT_EQ(next, 30u);
  for (const auto& each : waiting) EXPECT_EQ(each->ends, 1);
  run_dry(two.world);
}

TEST(Guard, WithoutARailThePeerFailsOnceAndSaysWhatHappenedFirstAndLast) {
  Two two("8");
  Sending large(two.world.bml(), *two.peer, two.inbox, 2, 20'000);
  std::vector<std::unique_ptr<Numbered>> waiting;
  for (std::uint32_t i = 0; i < 20; ++i) {
    if (two.send(i) == Posted::kDone) continue;
    waiting.push_back(std::make_unique<Numbered>(kSmall, i));
    ASSERT_EQ(two.world.bml().send(*two.peer, waiting.back()->descriptor), Posted::kPending);
  }
  ASSERT_FALSE(waiting.empty());
  two.a->fail(Errc::kTimedOut, "the first cable is silent");
  two.world.progress();
  EXPECT_EQ(two.world.failures, 0);
  two.b->fail(Errc::kPeerGone, "the second cable was cut");
  for (int i = 0; i < 5; ++i) two.world.progress();
  EXPECT_EQ(two.world.failures, 1);
  EXPECT_EQ(two.world.failure, Errc::kPeerGone);
  EXPECT_NE(two.world.failure_text.find("the first cable is silent"), std::string::npos)
      << two.world.failure_text;
  EXPECT_NE(two.world.failure_text.find("the second cable was cut"), std::string::npos)
      << two.world.failure_text;
  EXPECT_EQ(large.ends, 1);
  EXPECT_NE(large.status, Errc::kOk);
  for (const auto& each : waiting) EXPECT_EQ(each->ends, 1);
  EXPECT_EQ(two.peer->rails().guard->out(), 0u);
  EXPECT_TRUE(two.world.bml().idle());
}

TEST(Guard, WhatBreaksTheProtocolMakesThePeerFail) {
  const GuardHeader bad[] = {
      {kFirstNumber, kFirstNumber, 0, 0x7e, 0, GuardKind::kMessage, 0},       // nobody handles that tag
      {kFirstNumber, kFirstNumber, 0, kTagGuard, 0, GuardKind::kMessage, 0},  // a guard in a guard
      {kFirstNumber + kMaxWindow, kFirstNumber, 0, kSmall, 0, GuardKind::kMessage, 0},
      {kFirstNumber, kFirstNumber + 1, 0, kSmall, 0, GuardKind::kMessage, 0},  // never sent
      {0, kFirstNumber, 1, 0, 0, GuardKind::kAcknowledgement, 0},              // nor that
      {0, kFirstNumber + kMaxWindow, 0, 0, 0, GuardKind::kAcknowledgement, 0},
      {0, kFirstNumber, 0, 0, 0, static_cast<GuardKind>(9), 0},
  };
  for (const GuardHeader& header : bad) {
    Two two;
    const btl::Message message{0, kTagGuard, sizeof header, &header, nullptr, 0, nullptr};
    const btl::HandlerTable& handlers = two.world.world.runtime->handlers();
    handlers.deliver(message);
    EXPECT_EQ(two.world.failures, 1);
    EXPECT_EQ(two.world.failure, Errc::kProtocol);
    EXPECT_TRUE(two.inbox.smalls.empty());
  }
  Two two;
  const char little[4] = {};
  two.world.world.runtime->handlers().deliver({0, kTagGuard, sizeof little, little, nullptr, 0, nullptr});
  EXPECT_EQ(two.world.failure, Errc::kProtocol);
}

TEST(Guard, WhatComesVeryLateIsNoError) {
  Two two;
  for (std::uint32_t i = 0; i < 2; ++i) ASSERT_EQ(two.send(i), Posted::kDone);
  ASSERT_EQ(two.a->on_way(), 2u);
  two.a->fail(Errc::kPeerGone, "cut");
  run_dry(two.world);  // the second rail; what is on its way on the first is lost
  const GuardHeader late{kFirstNumber, kFirstNumber, 0, kSmall, 0, GuardKind::kMessage, 0};
  const GuardHeader older{0, kFirstNumber, 0, 0, 0, GuardKind::kAcknowledgement, 0};
  for (std::uint32_t i = 2; i < kMaxWindow + 100; ++i) {
    ASSERT_EQ(two.send(i), Posted::kDone);
    if (i % 50 == 0) run_dry(two.world);
  }
  run_dry(two.world);
  const btl::HandlerTable& handlers = two.world.world.runtime->handlers();
  handlers.deliver({0, kTagGuard, sizeof late, &late, nullptr, 0, nullptr});
  handlers.deliver({0, kTagGuard, sizeof older, &older, nullptr, 0, nullptr});
  EXPECT_EQ(two.world.failures, 0) << two.world.failure_text;
  EXPECT_EQ(two.inbox.smalls[0], 1);
  EXPECT_FALSE(two.world.bml().idle()) << "the late copy owes an acknowledgement";
  run_dry(two.world);
  EXPECT_TRUE(two.world.bml().idle());
}

TEST(Guard, WhoWaitsIsToldInTheCallbackItself) {
  Two two;
  Sending large(two.world.bml(), *two.peer, two.inbox, 2, 500);
  FakeRail& rail = two.a->on_way() == 1 ? *two.a : *two.b;
  rail.arrive(0);
  ASSERT_EQ(two.a->on_way() + two.b->on_way(), 1u) << "without any progress";
  (two.a->on_way() == 1 ? two.a : two.b)->arrive(0);
  EXPECT_EQ(large.ends, 1);
}

TEST(Guard, AnAcknowledgementWithoutRoomWaitsInTheRail) {
  Two two;
  Sending large(two.world.bml(), *two.peer, two.inbox, 2, 500);
  FakeRail& rail = two.a->on_way() == 1 ? *two.a : *two.b;
  int refused = 0;
  two.a->mood = two.b->mood = [&] {  // no room at once on any, then one keeps it
    return ++refused <= 3 ? FakeRail::How::kNoRoom : FakeRail::How::kHeld;
  };
  rail.arrive(0);
  ASSERT_EQ(two.a->held() + two.b->held(), 1u);
  two.world.progress();
  EXPECT_EQ(two.a->held() + two.b->held(), 1u) << "one at a time";
  EXPECT_FALSE(two.world.bml().idle()) << "not said yet";
  two.a->mood = two.b->mood = nullptr;
  (two.a->held() == 1 ? two.a : two.b)->complete(0);
  run_dry(two.world);
  EXPECT_EQ(large.ends, 1);
  EXPECT_TRUE(two.world.bml().idle());
  EXPECT_EQ(two.world.failures, 0);
}

// --- any schedule

class Schedule {
 public:
  Schedule(WorldOfRails& world, Inbox& inbox, unsigned seed, std::uint32_t& numbers)
      : world_(world), inbox_(inbox), random_(seed), numbers_(numbers) {
    std::vector<FakeRail*> first;
    for (std::size_t i = 2 + random_() % 3; i != 0; --i) first.push_back(&fresh_rail());
    change_to(first);
    peer_ = &world_.peer();
  }

  void run() {
    for (int step = 0; step < 250; ++step) one_step();
    moods_ = 0;
    run_dry(world_);
  }
  void expect_exactly_once() {
    for (std::uint32_t number : sent_) ASSERT_EQ(inbox_.smalls[number], 1) << "small message " << number;
    for (const auto& each : waiting_) ASSERT_EQ(each->ends, 1);
    for (const auto& large : larges_) {
      ASSERT_EQ(large->ends, 1);
      ASSERT_EQ(large->status, Errc::kOk);
      Inbox::Large& there = inbox_.larges[large->transfer.remote_id];
      ASSERT_EQ(there.received, large->bytes.size());
      ASSERT_EQ(there.placing, 0);
      ASSERT_TRUE(there.bytes == large->bytes);
    }
    ASSERT_FALSE(inbox_.wrong);
    ASSERT_EQ(world_.failures, 0) << world_.failure_text;
    ASSERT_EQ(peer_->rails().guard->out(), 0u);
    ASSERT_TRUE(world_.bml().idle());
  }

 private:
  FakeRail& fresh_rail() {
    FakeRail& rail = world_.make_rail(100, 200 + random_() % 3 * 300, 100 + random_() % 2);
    rail.mood = [this] {
      const unsigned face = random_() % 10;
      return face < moods_       ? FakeRail::How::kNoRoom
             : face < 2 * moods_ ? FakeRail::How::kHeld
                                 : FakeRail::How::kTaken;
    };
    return rail;
  }
  /// As a component does it: the new set is told before the old rails refuse.
  void change_to(const std::vector<FakeRail*>& next) {
    const std::vector<FakeRail*> before = now_;
    now_ = next;
    world_.set_rails(next);
    for (FakeRail* rail : before) {
      if (std::find(next.begin(), next.end(), rail) != next.end()) continue;
      rail->break_sender(Errc::kUnreachable);
      if (random_() % 2 == 0) rail->break_receiver();
    }
  }
  std::size_t living() const {
    return static_cast<std::size_t>(
        std::count_if(now_.begin(), now_.end(), [](FakeRail* r) { return !r->dead(); }));
  }
  void one_step() {
    FakeRail& rail = *now_[random_() % now_.size()];
    FakeRail& any =
        *world_.rails[world_.rails.size() - 1 - random_() % std::min<std::size_t>(6, world_.rails.size())];
    switch (random_() % 16) {
      case 0:
      case 1:
      case 2:
        return post_small();
      case 3:
        if (larges_.size() < 6) {
          larges_.push_back(
              std::make_unique<Sending>(world_.bml(), *peer_, inbox_, numbers_++, random_() % 3000));
        }
        return;
      case 4:
        if (!rail.dead() && living() > 1 && random_() % 4 == 0) {
          rail.fail(random_() % 2 == 0 ? Errc::kPeerGone : Errc::kUnreachable, "cut");
        }
        return;
      case 5:
        if (any.dead() && random_() % 2 == 0) any.break_receiver();
        return;
      case 6:
        if (random_() % 8 == 0) change_rails();
        return;
      case 7:
      case 8:
        if (rail.held() != 0) rail.complete(random_() % rail.held());
        return;
      case 9:
      case 10:
        if (any.placing()) return any.finish_placing();
        if (any.on_way() != 0) any.begin_placing(0);
        return;
      case 11:
      case 12:
      case 13:
        if (any.on_way() != 0 && !any.placing()) any.arrive(random_() % any.on_way(), random_() % 8 == 0);
        return;
      default:
        return world_.progress();
    }
  }
  void post_small() {
    const std::uint32_t number = numbers_++;
    const std::string data(random_() % 100, 'd');
    sent_.push_back(number);
    if (world_.bml().sendi(*peer_, {&number, sizeof number, kSmall}, data.data(), data.size()) ==
        Posted::kDone)
      return;
    waiting_.push_back(std::make_unique<Numbered>(kSmall, number, data));
    const Posted posted = world_.bml().send(*peer_, waiting_.back()->descriptor);
    EXPECT_NE(posted, Posted::kUnreachable);
    if (posted == Posted::kDone) waiting_.pop_back();
  }
  void change_rails() {
    std::vector<FakeRail*> next;
    for (FakeRail* rail : now_) {
      if (random_() % 3 != 0) next.push_back(rail);
    }
    const bool alive = std::any_of(next.begin(), next.end(), [](FakeRail* r) { return !r->dead(); });
    if (!alive || (next.size() < 4 && random_() % 2 == 0)) {
      next.push_back(&world_.make_rail(100, 800));  // takes whatever another had
      next.back()->mood = now_.front()->mood;
    }
    change_to(next);
  }

  WorldOfRails& world_;
  Inbox& inbox_;
  std::mt19937 random_;
  std::uint32_t& numbers_;
  unsigned moods_ = 2;
  Peer* peer_ = nullptr;
  std::vector<FakeRail*> now_;
  std::vector<std::uint32_t> sent_;
  std::vector<std::unique_ptr<Numbered>> waiting_;
  std::vector<std::unique_ptr<Sending>> larges_;
};

TEST(Guard, EveryMessageOnceWhateverTheCablesDo) {
  std::uint64_t again = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t given_up = 0;
  for (unsigned world_seed = 0; world_seed < 20; ++world_seed) {
    WorldOfRails world("auto", world_seed % 2 == 0 ? "8" : "64");
    Inbox inbox(world);
    std::uint32_t numbers = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
      SCOPED_TRACE("world " + std::to_string(world_seed) + " seed " + std::to_string(seed));
      Schedule schedule(world, inbox, world_seed * 1000 + seed, numbers);
      schedule.run();
      schedule.expect_exactly_once();
      if (testing::Test::HasFailure()) return;
    }
    again += world.bml().count(GuardCounter::kSentAgain);
    duplicates += world.bml().count(GuardCounter::kDuplicates);
    given_up += world.bml().count(GuardCounter::kGivenUp);
  }
  EXPECT_GT(again, 1000u);
  EXPECT_GT(duplicates, 1000u);
  EXPECT_GT(given_up, 10u) << "the schedules do not meet a half-read slice";
}

}  // namespace
}  // namespace hawser::bml
