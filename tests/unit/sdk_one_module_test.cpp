// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "framework/peers/one_module.hpp"
#include "tests/unit/sdk_host.hpp"

// What the base of a component with one module does, seen by its endpoints: a whole component of this kind is
// looked at by `hawser check`.

namespace hawser::peers {
namespace {

struct Peer;
using Notes = std::vector<std::string>;

class Component final : public OneModule<Peer> {
 public:
  Component() noexcept : OneModule("fake") {}
  using OneModule::find_or_make;

  Notes notes;
  Errc refuses = Errc::kOk;  // what `make` answers
  Errc starts = Errc::kOk;   // what `start` answers
  int parts_after = 0;       // looks, until there is room for the goodbye

 private:
  Result<void> set_up() override {
    attributes_.eager_limit = 100;
    return {};
  }
  Result<std::unique_ptr<Peer>> make(std::uint32_t rank) override;
  void shut() noexcept override { notes.push_back("shut"); }
};

struct Peer : btl::Endpoint {
  Peer(Component& its_owner, std::uint32_t its_rank) : owner(its_owner), rank(its_rank) {}
  btl::Posted post(const btl::Outgoing& message) noexcept {
    if (over) return btl::Posted::kUnreachable;
    return message.descriptor ? owner.refused() : owner.sent(message.size, btl::Posted::kDone);
  }
  Errc start() noexcept { return owner.starts; }
  bool flushed() noexcept { return rank != 3; }
  bool part() noexcept { return looks++ >= owner.parts_after; }
  bool end(Errc status, bool goodbye) noexcept {
    if (over) return false;
    over = true;
    note(std::string("end ") + to_text(status) +
         (goodbye ? " with goodbye after " + std::to_string(looks) + " looks" : ""));
    return true;
  }
  void close() noexcept { note("close"); }
  void note(const std::string& what) { owner.notes.push_back(std::to_string(rank) + " " + what); }

  Component& owner;
  const std::uint32_t rank;
  bool over = false;
  int looks = 0;
  std::unique_ptr<Peer> next;
};

Result<std::unique_ptr<Peer>> Component::make(std::uint32_t rank) {
  if (refuses != Errc::kOk) return make_error(refuses, "rank {} will not", rank);
  notes.push_back("make " + std::to_string(rank));
  return std::make_unique<Peer>(*this, rank);
}

class SdkOneModule : public testing::Test {
 protected:
  SdkOneModule() {
    char why[64] = "";
    EXPECT_EQ(component.open(host, why, sizeof why), Errc::kOk) << why;
  }
  Peer& reach(std::uint32_t rank) {
    btl::Reach reach;
    component.add_procs(rank, reach);
    EXPECT_EQ(reach.count, 1u) << reach.reason;
    EXPECT_EQ(reach.rails[0].module, &component.module(0));
    return static_cast<Peer&>(*reach.rails[0].endpoint);
  }
  std::string refusal(std::uint32_t rank, Errc wanted) {
    btl::Reach reach;
    component.add_procs(rank, reach);
    EXPECT_EQ(reach.count, 0u);
    EXPECT_EQ(reach.status, wanted);
    return reach.reason;
  }
  std::uint64_t count(btl::BaseCounter counter) {
    return component.counters().values[static_cast<std::size_t>(counter)];
  }

  btl::TestHost host;
  Component component;
};

TEST_F(SdkOneModule, APeerIsMadeOnceAndARefusalTellsWhy) {
  Peer& peer = reach(1);
  EXPECT_EQ(&reach(1), &peer);
  EXPECT_EQ(component.notes, Notes{"make 1"});
  component.refuses = Errc::kUnreachable;
  EXPECT_EQ(refusal(2, Errc::kUnreachable), "rank 2 will not");
  component.starts = Errc::kOutOfMemory;
  EXPECT_NE(refusal(1, Errc::kOutOfMemory).find("rank 1 cannot be watched"), std::string::npos);
}

TEST_F(SdkOneModule, PostsAreCountedByTheirAnswer) {
  Peer& peer = reach(1);
  btl::Module& module = component.module(0);
  EXPECT_EQ(module.sendi(peer, {"h", 1, 7}, "data", 4), btl::Posted::kDone);
  btl::Descriptor descriptor;
  EXPECT_EQ(module.send(peer, descriptor), btl::Posted::kNoResource);
  EXPECT_EQ(count(btl::BaseCounter::kMessagesSent), 1u);
  EXPECT_EQ(count(btl::BaseCounter::kBytesSent), 4u);
  EXPECT_EQ(count(btl::BaseCounter::kNoResource), 1u);
}

TEST_F(SdkOneModule, WhatIsDeliveredNamesItsRailAndHasAnAlignedHeader) {
  static Peer* from = nullptr;
  from = &reach(2);
  host.table.entries[7].deliver = [](void*, const btl::Message& message) noexcept {
    EXPECT_EQ(message.rank, 2u);
    EXPECT_EQ(message.endpoint, from);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(message.header) % 8, 0u);
    EXPECT_EQ(std::memcmp(message.header, "head", 4), 0);
  };
  alignas(8) const char odd[] = "-head";
  EXPECT_TRUE(component.deliver(*from, 2, {odd + 1, 4, 7}, "data", 4));
  EXPECT_FALSE(component.deliver(*from, 2, {odd + 1, 4, 8}, "data", 4)) << "nobody handles that tag";
  EXPECT_EQ(count(btl::BaseCounter::kBytesReceived), 8u);
}

TEST_F(SdkOneModule, ARailFailsOnce) {
  Peer& peer = reach(1);
  component.fail(peer, 1, Errc::kPeerGone, "it fell");
  component.fail(peer, 1, Errc::kProtocol, "again");
  ASSERT_EQ(host.failures.size(), 1u);
  EXPECT_NE(host.failures[0].text.find("fake: the way to rank 1: it fell"), std::string::npos)
      << host.failures[0].text;
  component.abandon(reach(2));
  EXPECT_EQ(host.failures.size(), 1u) << "who gives a rail up is not told of it";
}

TEST_F(SdkOneModule, WhoIsLetGoLivesUntilTheEndAndIsMadeAnewIfAskedFor) {
  Peer& old = reach(1);
  component.release_peer(1);
  EXPECT_TRUE(old.over) << "and still there";
  EXPECT_NE(&reach(1), &old);
  EXPECT_EQ(component.notes,
            (Notes{"make 1", std::string("1 end ") + to_text(Errc::kShutdown) + " with goodbye after 0 looks",
                   "make 1"}));
}

TEST_F(SdkOneModule, AtTheEndAllAreAskedUntilThereIsRoomForEachGoodbye) {
  component.parts_after = 3;
  reach(1);
  reach(2);
  component.notes.clear();
  component.close();
  const std::string ends = std::string(" end ") + to_text(Errc::kShutdown) + " with goodbye after 4 looks";
  EXPECT_EQ(component.notes, (Notes{"shut", "1" + ends, "2" + ends, "2 close", "1 close"}));
  EXPECT_FALSE(refusal(1, Errc::kShutdown).empty());
}

TEST_F(SdkOneModule, IsFlushedIfAllPeersAre) {
  reach(1);
  EXPECT_TRUE(component.flushed());
  reach(3);
  EXPECT_FALSE(component.flushed());
}

}  // namespace
}  // namespace hawser::peers
