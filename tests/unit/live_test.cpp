// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What a process shows of itself: its records, and what the BML and the PML write there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "framework/base/columns.hpp"
#include "framework/live/page.hpp"
#include "framework/runtime/stats.hpp"
#include "pml/channel.hpp"
#include "tests/fakes/world_of_rails.hpp"

namespace hawser {
namespace {

using btl::Posted;
using fakes::FakeRail;
using fakes::Numbered;
using fakes::WorldOfRails;
using live::RailCounter;
using live::RailState;

constexpr btl::Tag kTag = 0x40;

btl::Job job_of(std::uint32_t size) {
  btl::Job job{};
  job.id = 0x1234;
  job.size = size;
  job.rank = size - 1;
  return job;
}

/// Paths of this process's memory files that others would find.
std::vector<std::string> shown_files() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target == std::string("/memfd:") + live::kFileName + " (deleted)") found.push_back(entry.path());
  }
  return found;
}

TEST(LivePage, IsFoundByItsNameAndCannotShrink) {
  const std::size_t before = shown_files().size();
  {
    live::Page page(job_of(2), true);
    ASSERT_EQ(shown_files().size(), before + 1);
    Fd file(::open(shown_files().back().c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(file);
    EXPECT_NE(::fcntl(file.get(), F_GET_SEALS) & F_SEAL_SHRINK, 0);
    struct stat info {};
    ASSERT_EQ(::fstat(file.get(), &info), 0);
    EXPECT_EQ(static_cast<std::uint64_t>(info.st_size), page.header().file_size);
    EXPECT_EQ(page.header().magic, live::kMagic);
    EXPECT_EQ(page.header().job, 0x1234u);
    EXPECT_LE(info.st_blocks * 512, 64 * 1024) << "what nobody uses is not there";
  }
  EXPECT_EQ(shown_files().size(), before) << "nothing is left";
}

TEST(LivePage, ARailKeepsItsRecordAndFullIsNoError) {
  live::Page page(job_of(1), true);
  std::vector<std::unique_ptr<FakeRail>> modules;
  std::set<const live::Rail*> records;
  for (int i = 0; i < 12; ++i) {  // more than there is room for
    modules.push_back(std::make_unique<FakeRail>("fake/" + std::to_string(i), btl::Attributes{}));
    live::Rail& rail = page.rail(0, *modules.back(), "fake");
    EXPECT_EQ(&page.rail(0, *modules.back(), "fake"), &rail);
    EXPECT_STREQ(rail.module, modules.back()->name());
    rail.count_sent(100);
    records.insert(&rail);
  }
  EXPECT_EQ(records.size(), 12u);
  EXPECT_EQ(page.rails().size(), 12u);
  EXPECT_EQ(page.header().rails_used.load(), page.header().rails.count);
  EXPECT_EQ(page.header().no_room.load(), 12 - page.header().rails.count);
  live::note_rail(0, *modules[3], RailState::kProbing);
  EXPECT_EQ(page.rail(0, *modules[3], "fake").state.load(), RailState::kProbing);
  live::note_rail(1, *modules[3], RailState::kAside);  // nobody knows it
}

TEST(LivePage, WithOneThreadARailTakesLessAndCountsAllTheSame) {
  for (const bool many_threads : {false, true}) {
    live::Page page(job_of(2), many_threads);
    EXPECT_EQ(page.header().rails.size, many_threads ? sizeof(live::RailOfThreads) : sizeof(live::Rail));
    std::vector<std::unique_ptr<FakeRail>> modules;
    for (int i = 0; i < 3; ++i) modules.push_back(std::make_unique<FakeRail>("fake", btl::Attributes{}));
    for (const auto& module : modules) {
      live::Rail& rail = page.rail(1, *module, "fake");
      std::thread([&] { rail.count_sent(7); }).join();
      rail.count_sent(100);
    }
    for (const auto& module : modules) {
      const live::Rail& rail = page.rail(1, *module, "fake");
      EXPECT_EQ(rail.peer, 1u);
      EXPECT_EQ(rail.sum(RailCounter::kMessages), 2u);
      EXPECT_EQ(rail.sum(RailCounter::kBytes), 107u);
    }
  }
}

TEST(LivePage, NamesThatAreTooLongAreCut) {
  live::Page page(job_of(1), true);
  FakeRail module(std::string(100, 'm'), {});
  live::Rail& rail = page.rail(0, module, std::string(100, 'c').c_str());
  EXPECT_EQ(std::string(rail.module), std::string(sizeof rail.module - 1, 'm'));
  EXPECT_EQ(std::string(rail.component), std::string(sizeof rail.component - 1, 'c'));
}

TEST(LivePage, AChannelsPlaceIsUsedAgain) {
  live::Page page(job_of(1), true);
  std::vector<live::Channel*> channels;
  for (std::uint32_t i = 0; i < page.header().channels.count + 5; ++i) {
    channels.push_back(&page.open_channel(i));
  }
  EXPECT_EQ(std::set(channels.begin(), channels.end()).size(), channels.size());
  std::set<std::uint64_t> serials{0};
  for (std::uint32_t i = 0; i < channels.size(); ++i) {
    EXPECT_EQ(channels[i]->context.load(), i);
    EXPECT_TRUE(serials.insert(channels[i]->serial.load()).second);
  }
  for (live::Channel* closed : {channels[2], channels.back()}) {
    page.close_channel(*closed);
    live::Channel& next = page.open_channel(closed->context.load());
    EXPECT_EQ(&next, closed);
    EXPECT_TRUE(serials.insert(next.serial.load()).second) << "not told from the one before";
  }
  live::Channel* third = channels[2];
  third->unexpected.store(7);
  page.close_channel(*third);
  live::Channel& again = page.open_channel(4711);
  EXPECT_EQ(&again, third);
  EXPECT_EQ(again.context.load(), 4711u);
  EXPECT_EQ(again.unexpected.load(), 0u);
}

std::uint64_t count(const bml::Rail& rail, RailCounter counter) {
  return rail.live->sum(counter);
}

TEST(LiveRails, WhatTheyTookAndRefused) {
  WorldOfRails world;
  FakeRail& rail = world.make_rail();
  world.component.rails = {{&rail, &rail.endpoint()}};
  bml::Peer& peer = world.peer();
  const bml::Rail& shown = *peer.rails().sole;
  EXPECT_EQ(shown.live->state.load(), RailState::kUp);
  EXPECT_EQ(world.bml().sendi(peer, {nullptr, 0, kTag}, "12345", 5), Posted::kDone);
  EXPECT_EQ(count(shown, RailCounter::kMessages), 1u);
  EXPECT_EQ(count(shown, RailCounter::kBytes), 5u);
  int refusals = 2;
  rail.mood = [&] { return refusals-- > 0 ? FakeRail::How::kNoRoom : FakeRail::How::kTaken; };
  Numbered first(kTag, 1, "abc");
  Numbered second(kTag, 2, "de");
  EXPECT_EQ(world.bml().send(peer, first.descriptor), Posted::kPending);
  EXPECT_EQ(world.bml().send(peer, second.descriptor), Posted::kPending);
  EXPECT_EQ(peer.live->pending.load(), 2);
  EXPECT_EQ(count(shown, RailCounter::kRefused), 1u);
  world.progress();  // refused once more
  world.progress();
  EXPECT_EQ(peer.live->pending.load(), 0);
  EXPECT_EQ(count(shown, RailCounter::kRefused), 2u);
  EXPECT_EQ(count(shown, RailCounter::kMessages), 3u);
  EXPECT_EQ(count(shown, RailCounter::kBytes), 10u);
}

TEST(LiveRails, HowTheyAre) {
  WorldOfRails world("always");
  FakeRail& a = world.make_rail();
  FakeRail& b = world.make_rail();
  world.component.rails = {{&a, &a.endpoint()}, {&b, &b.endpoint()}};
  bml::Peer& peer = world.peer();
  live::Page& page = world.world.runtime->live();
  const auto state = [&](FakeRail& rail) { return page.rail(0, rail, "fake").state.load(); };
  EXPECT_EQ(state(a), RailState::kUp);
  world.set_rails({&b});
  EXPECT_EQ(state(a), RailState::kAside);
  live::note_rail(0, a, RailState::kProbing);
  world.set_rails({&a, &b});
  EXPECT_EQ(state(a), RailState::kUp);
  a.fail(Errc::kPeerGone, "cut");
  EXPECT_EQ(state(a), RailState::kFailed);
  EXPECT_EQ(peer.live->failed.load(), 0u);
  b.fail(Errc::kPeerGone, "cut too");
  EXPECT_EQ(peer.live->failed.load(), 1u);
}

/// As when a module is connected anew before the old connection is seen to have broken.
TEST(LiveRails, TwoOfOneModuleShareARecordThatFailsWithTheLast) {
  WorldOfRails world("always");
  FakeRail& rail = world.make_rail();
  FakeRail& lender = world.make_rail();  // of an endpoint
  world.component.rails = {{&rail, &rail.endpoint()}, {&rail, &lender.endpoint()}};
  bml::Peer& peer = world.peer();
  ASSERT_EQ(peer.rails().send.size(), 2u);
  const auto state = [&] { return peer.rails().send[0].live->state.load(); };
  btl::Host& host = *world.world.runtime;
  host.rail_failed(0, rail, rail.endpoint(), Errc::kPeerGone, "cut");
  EXPECT_EQ(state(), RailState::kUp);
  world.world.runtime->rails_changed(0);  // and still both are there
  EXPECT_EQ(state(), RailState::kUp);
  host.rail_failed(0, rail, lender.endpoint(), Errc::kPeerGone, "cut too");
  EXPECT_EQ(state(), RailState::kFailed);
}

TEST(LiveRails, WhatWaitsIsForgottenWithThePeer) {
  WorldOfRails world("never");
  FakeRail& rail = world.make_rail();
  world.component.rails = {{&rail, &rail.endpoint()}};
  bml::Peer& peer = world.peer();
  rail.mood = [] { return FakeRail::How::kNoRoom; };
  Numbered message(kTag, 1, "abc");
  EXPECT_EQ(world.bml().send(peer, message.descriptor), Posted::kPending);
  EXPECT_EQ(peer.live->pending.load(), 1);
  rail.fail(Errc::kPeerGone, "cut");
  EXPECT_EQ(message.ends, 1);
  EXPECT_EQ(peer.live->pending.load(), 0);
}

TEST(LiveRails, AGuardedPeersMessagesUntilTheyAreAcknowledged) {
  WorldOfRails world("always");
  FakeRail& rail = world.make_rail();
  world.component.rails = {{&rail, &rail.endpoint()}};
  bml::Peer& peer = world.peer();
  world.world.runtime->handler_table().entries[kTag] = {[](void*, const btl::Message&) noexcept {}, nullptr,
                                                        nullptr, nullptr};
  EXPECT_EQ(world.bml().sendi(peer, {nullptr, 0, kTag}, "12345", 5), Posted::kDone);
  EXPECT_EQ(peer.live->unacknowledged.load(), 1u);
  for (int turn = 0; turn < 1000 && peer.live->unacknowledged.load() != 0; ++turn) {
    while (rail.held() != 0) rail.complete(0);
    while (rail.on_way() != 0) rail.arrive(0);
    world.progress();
  }
  EXPECT_EQ(peer.live->unacknowledged.load(), 0u);
}

TEST(LiveStats, AreWhatWasHandedOn) {
  runtime::RankStats stats{
      3, {{3, 1, 1, "tcp", "tcp/e0#0", "up", {1, 2, 3, 4, 5, 6}}}, {{"bml guard", "x", 7, "h"}}};
  const auto read = runtime::read_stats(3, runtime::write_stats(stats));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->rails.size(), 1u);
  EXPECT_EQ(read->rails[0].module, "tcp/e0#0");
  EXPECT_EQ(read->rails[0].counts, stats.rails[0].counts);
  ASSERT_EQ(read->counts.size(), 1u);
  EXPECT_EQ(read->counts[0].value, 7u);
  EXPECT_FALSE(runtime::read_stats(3, "no such thing"));
  EXPECT_FALSE(runtime::read_stats(3, "{\"rails\":[[1]],\"counts\":[]}"));
}

TEST(LiveStats, ManyRailsAreFoldedByRank) {
  std::vector<runtime::RankStats> ranks;
  for (std::uint32_t rank = 0; rank < 20; ++rank) {
    ranks.push_back({rank, {}, {}});
    for (std::uint32_t peer = 0; peer < 20; ++peer) {
      ranks.back().rails.push_back({rank, peer, 1, "shm", "shm", "up", {10, 1000, 0, 0, 0, 0}});
    }
  }
  const std::string text = runtime::stats_table(ranks, {20, 21});
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_NE(text.find("20 peers"), std::string::npos) << text;
  EXPECT_NE(text.find("4000"), std::string::npos) << "the sum of all: " << text;
  EXPECT_NE(text.find("nothing is known of rank 20, 21"), std::string::npos) << text;
}

TEST(Columns, TextsToTheLeftAndNumbersToTheRight) {
  Columns columns({"name", "count"}, 1);
  columns.add({"a", "1000000"});
  columns.add({"longer", "2"});
  EXPECT_EQ(columns.text(), "name      count\na       1000000\nlonger        2\n");
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(1000), "1.00 k");
  EXPECT_EQ(short_number(12'340'000), "12.3 M");
  EXPECT_EQ(short_number(999'950), "1.00 M");
  EXPECT_EQ(short_number(0.5), "0.50");
}

}  // namespace
}  // namespace hawser
