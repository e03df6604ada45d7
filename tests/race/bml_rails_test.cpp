// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "framework/base/clock.hpp"
#include "framework/base/spin_mutex.hpp"
#include "tests/fakes/world_of_rails.hpp"

namespace hawser::bml {
namespace {

using btl::Posted;
using fakes::FakeRail;
using fakes::Numbered;
using fakes::WorldOfRails;

constexpr btl::Tag kTag = 0x40;
constexpr std::uint32_t kThreads = 3;
constexpr std::uint32_t kEach = 5000;
constexpr std::uint32_t kAll = kThreads * kEach;

/// Threads that send to one peer, while the progress role delivers, replaces its rails and breaks some.
class Traffic {
 public:
  explicit Traffic(const char* guard)
      : world_((g_many_threads = true, guard), "64"),
        guarded_(std::strcmp(guard, "never") != 0),
        arrived_(kAll) {
    world_.world.runtime->handler_table().entries[kTag] = {
        [](void* self, const btl::Message& message) noexcept { static_cast<Traffic*>(self)->take(message); },
        nullptr, nullptr, this};
    change({&fresh(), &fresh()});
    peer_ = &world_.peer();
    world_.component.on_progress = [this] { return turn(); };
  }
  ~Traffic() {
    world_.component.on_progress = nullptr;
    g_many_threads = false;
  }

  /// Rails that break lose what is on its way; only a guarded peer outlives that.
  bool breaks = false;

  void run() {
    std::vector<std::thread> threads;
    for (std::uint32_t me = 0; me < kThreads; ++me) threads.emplace_back([this, me] { send_all(me); });
    for (std::thread& thread : threads) thread.join();
    const Deadline deadline = deadline_in(std::chrono::seconds(60));
    while ((count_ < kAll || !world_.bml().idle() || out() != 0) && Clock::now() < deadline)
      world_.progress();
    for (std::uint32_t number = 0; number < kAll; ++number) ASSERT_EQ(arrived_[number].load(), 1) << number;
    EXPECT_EQ(ends_.load(), pending_.load()) << "every operation ends once";
    EXPECT_EQ(world_.failures, 0) << world_.failure_text;
    EXPECT_GT(changes_, 3);
  }

 private:
  struct Queued : Numbered {
    Queued(Traffic& of, std::uint32_t number) : Numbered(kTag, number), traffic(of) {
      descriptor.owner = this;
      descriptor.on_complete = [](btl::Descriptor& self, Errc status) noexcept {
        auto* me = static_cast<Queued*>(self.owner);
        if (status != Errc::kOk) me->traffic.world_.failures += 1;
        me->traffic.ends_.fetch_add(1);
        delete me;
      };
    }
    Traffic& traffic;
  };

  FakeRail& fresh() {
    FakeRail& rail = world_.make_rail(1000, 4000);
    rail.mood = [this] {
      const std::uint32_t face = dice_.fetch_add(1, std::memory_order_relaxed) % 7;
      return face == 0               ? FakeRail::How::kNoRoom
             : face == 1 && guarded_ ? FakeRail::How::kHeld
                                     : FakeRail::How::kTaken;
    };
    return rail;
  }
  void change(const std::vector<FakeRail*>& next) {
    const std::vector<FakeRail*> before = now_;
    now_ = next;
    ++changes_;
    world_.set_rails(next);
    for (FakeRail* rail : before) rail->break_sender(Errc::kUnreachable);
    for (FakeRail* rail : before) {
      if (breaks) rail->break_receiver();
      old_.push_back(rail);
    }
  }
  // The progress role's.
  int turn() {
    int moved = 0;
    const auto deliver = [&](FakeRail& rail) {
      for (int i = 0; i < 50 && rail.on_way() != 0; ++i, ++moved) rail.arrive(0);
      while (rail.held() != 0) rail.complete(0);
    };
    for (FakeRail* rail : now_) deliver(*rail);
    while (!old_.empty() && old_.front()->on_way() == 0 && old_.size() > 4) old_.erase(old_.begin());
    for (FakeRail* rail : old_) deliver(*rail);
    ++turns_;
    if (changes_ > 200) return moved;
    if (turns_ % 40 == 0) change({&fresh(), &fresh()});
    if (breaks && turns_ % 40 == 20) now_.front()->fail(Errc::kPeerGone, "cut");
    return moved;
  }
  void take(const btl::Message& message) {
    std::uint32_t number = kAll;
    std::memcpy(&number, message.header, sizeof number);
    arrived_.at(number).fetch_add(1);
    count_.fetch_add(1);
  }
  void send_all(std::uint32_t me) {
    for (std::uint32_t i = 0; i < kEach; ++i) {
      const std::uint32_t number = me * kEach + i;
      if (world_.bml().sendi(*peer_, {&number, sizeof number, kTag}, nullptr, 0) != Posted::kDone) {
        auto* queued = new Queued(*this, number);
        pending_.fetch_add(1);
        const Posted posted = world_.bml().send(*peer_, queued->descriptor);
        if (posted != Posted::kPending) queued->descriptor.on_complete(queued->descriptor, Errc::kOk);
        EXPECT_NE(posted, Posted::kUnreachable);
      }
      if (i % 4 == 0) world_.progress();
    }
  }
  std::uint32_t out() { return peer_->rails().guard ? peer_->rails().guard->out() : 0; }

  WorldOfRails world_;
  const bool guarded_;  // else a rail holds nothing: what it gave back as unsent would arrive all the same
  std::vector<std::atomic<int>> arrived_;
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> pending_{0};
  std::atomic<std::uint32_t> ends_{0};
  std::atomic<std::uint32_t> dice_{0};
  Peer* peer_ = nullptr;
  std::vector<FakeRail*> now_;
  std::vector<FakeRail*> old_;  // what they had taken still arrives
  int turns_ = 0;
  int changes_ = 0;
};

TEST(RailsRace, NothingIsStrandedWhileTheSetIsReplaced) {
  Traffic traffic("never");
  traffic.run();
}

TEST(RailsRace, NothingIsLostOrDoubledWhileRailsBreak) {
  Traffic traffic("auto");
  traffic.breaks = true;
  traffic.run();
}

TEST(RailsRace, WhatArrivesLateOverOldRailsCountsOnce) {
  Traffic traffic("auto");
  traffic.run();
}

}  // namespace
}  // namespace hawser::bml
