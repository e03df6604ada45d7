// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The rules of the component fault, around a scripted module.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "components/fault/component.hpp"
#include "components/fault/fate.hpp"
#include "components/fault/params.hpp"
#include "tests/fakes/fake_component.hpp"
#include "tests/fakes/fake_module.hpp"
#include "tests/fakes/quiet_host.hpp"
#include "tests/race/failing_memory.hpp"

namespace hawser::fault {
namespace {

using btl::Posted;
using fakes::FakeModule;

constexpr btl::Tag kTag = 3;
constexpr btl::Attributes kLimits{1,   btl::kFlagSend | btl::kFlagOrdered, 1000, 1000, 4000, 1, 1 << 20, 100,
                                  1000};

fakes::FakeComponent* g_wrapped = nullptr;
btl::Component* create() {
  return g_wrapped;
}
void destroy(btl::Component*) {}

struct Parcel : btl::Descriptor {
  explicit Parcel(std::size_t size = 2000) : bytes(size, 'x'), piece{bytes.data(), size} {
    on_complete = [](btl::Descriptor& self, Errc status) noexcept {
      auto& parcel = static_cast<Parcel&>(self);
      ++parcel.ends;
      parcel.status = status;
    };
    tag = kTag;
    header_size = 8;
    data = &piece;
    data_count = 1;
    data_size = size;
  }
  std::string bytes;
  iovec piece;
  int ends = 0;
  Errc status = Errc::kOk;
};

/// The component around a fake one with one rail, with the parameters as they are when it is made.
struct World {
  World() {
    wrapped.rails = {{&module, &module.endpoint}};
    g_wrapped = &wrapped;
    descriptor.create = &create;
    descriptor.destroy = &destroy;
    host.other = &descriptor;
    host.table.entries[kTag] = {&deliver, &place, &abandon, this};
    char why[btl::kReasonSize] = {};
    EXPECT_EQ(component.open(host, why, sizeof why), Errc::kOk) << why;
    btl::Reach reach;
    component.add_procs(0, reach);
    EXPECT_EQ(reach.count, 1u);
    rail = reach.rails[0];
  }
  Posted sendi(std::uint32_t number) {
    return rail.module->sendi(*rail.endpoint, {&number, sizeof number, kTag}, nullptr, 0);
  }
  void passes(int count) {
    for (int i = 0; i < count; ++i) component.progress();
  }
  static void deliver(void* self, const btl::Message&) noexcept { ++static_cast<World*>(self)->delivered; }
  static bool place(void* self, const btl::Message& head, btl::Placement& out) noexcept {
    auto& me = *static_cast<World*>(self);
    me.memory.assign(head.size, '?');
    out = {me.memory.data(), &me};
    return true;
  }
  static void abandon(void* self, const btl::Message&) noexcept { ++static_cast<World*>(self)->given_up; }

  fakes::QuietHost host;
  FakeModule module{kLimits};
  fakes::FakeComponent wrapped;
  hawser_btl_descriptor descriptor{};
  Component component;
  btl::Reach::Rail rail{};
  int delivered = 0;
  int given_up = 0;
  std::string memory;
};

class FaultTest : public testing::Test {
 protected:
  FaultTest() {
    g_params = Params{};
    g_params.target = "fake";
    g_params.rank = -1;
    g_params.refuse_run = 1;
  }
  ~FaultTest() override { g_params = Params{}; }
};

/// What goes out below when so many messages are sent, by their numbers.
std::vector<std::uint32_t> what_goes_out(std::int64_t seed, std::uint32_t count) {
  g_params.seed = seed;
  World world;
  for (std::uint32_t i = 0; i < count; ++i) {
    while (world.sendi(i) == Posted::kNoResource) world.passes(1);
    if (i % 7 == 0) world.passes(1);
  }
  world.passes(100);
  std::vector<std::uint32_t> numbers;
  for (const FakeModule::Sent& sent : world.module.sent) {
    std::uint32_t number = 0;
    std::memcpy(&number, sent.header.data(), sizeof number);
    numbers.push_back(number);
  }
  return numbers;
}

TEST_F(FaultTest, TheSameSeedGivesTheSameFate) {
  g_params.drop = 30;
  g_params.silent = true;
  g_params.duplicate = 20;
  g_params.reorder = 10;
  g_params.refuse = 4;
  g_params.delay_ns = 3'600'000'000'000;  // who is overtaken waits for the next one, not for the clock
  const auto first = what_goes_out(1, 2000);
  EXPECT_EQ(first, what_goes_out(1, 2000));
  EXPECT_NE(first, what_goes_out(2, 2000));
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end())) << "some were overtaken";
  const std::set<std::uint32_t> different(first.begin(), first.end());
  EXPECT_LT(different.size(), 2000u) << "some were lost";
  EXPECT_GT(first.size(), different.size()) << "some were sent twice";
}

TEST_F(FaultTest, RulesStrikeAsOftenAsTheySay) {
  const Fate fate(7, 0, 1, 2);
  for (const std::int64_t one_in : {1, 2, 10, 100}) {
    int hits = 0;
    for (std::uint64_t n = 1; n <= 100'000; ++n) hits += fate.hits(Rule::kDrop, n, one_in);
    const double wanted = 100'000.0 / static_cast<double>(one_in);
    EXPECT_GT(hits, wanted * 0.9);
    EXPECT_LT(hits, wanted * 1.1 + 1);
  }
  EXPECT_FALSE(fate.hits(Rule::kDrop, 1, 0));
}

TEST_F(FaultTest, WithoutRulesNothingIsChanged) {
  World world;
  Parcel parcel;
  EXPECT_EQ(world.rail.module->send(*world.rail.endpoint, parcel), Posted::kDone);
  EXPECT_EQ(world.sendi(1), Posted::kDone);
  ASSERT_EQ(world.module.sent.size(), 2u);
  EXPECT_EQ(world.module.sent[0].data, parcel.bytes);
  EXPECT_EQ(parcel.ends, 0);
  EXPECT_EQ(std::string(world.rail.module->name()), "fault(fake)");
  EXPECT_TRUE(world.component.arm());
}

TEST_F(FaultTest, AResetEndsAllThatPendsBeforeItIsReported) {
  g_params.reset_after = 3;
  World world;
  world.module.always(Posted::kPending);
  Parcel parcels[3];
  EXPECT_EQ(world.rail.module->send(*world.rail.endpoint, parcels[0]), Posted::kPending);
  EXPECT_EQ(world.rail.module->send(*world.rail.endpoint, parcels[1]), Posted::kPending);
  EXPECT_EQ(world.rail.module->send(*world.rail.endpoint, parcels[2]), Posted::kUnreachable);
  world.passes(3);
  EXPECT_EQ(world.module.abandoned, 1) << "the rail below is given up";
  EXPECT_TRUE(world.host.failures.empty()) << "two are still out";
  EXPECT_TRUE(world.module.complete_in({1, 0}, Errc::kUnreachable));
  world.passes(1);
  ASSERT_EQ(world.host.failures.size(), 1u);
  EXPECT_EQ(world.host.failures[0].endpoint, world.rail.endpoint);
  EXPECT_EQ(parcels[0].ends + parcels[1].ends, 2);
  EXPECT_EQ(parcels[2].ends, 0);
  EXPECT_EQ(world.sendi(9), Posted::kUnreachable);
}

TEST_F(FaultTest, ADropTakesTheMessageAndBreaksTheRail) {
  g_params.drop = 1;
  World world;
  Parcel parcel;
  EXPECT_EQ(world.rail.module->send(*world.rail.endpoint, parcel), Posted::kDone);
  EXPECT_EQ(world.sendi(2), Posted::kUnreachable);
  world.passes(2);
  EXPECT_TRUE(world.module.sent.empty());
  EXPECT_EQ(world.host.failures.size(), 1u);
}

TEST_F(FaultTest, APlaceIsFilledPieceByPieceAndGivenUpHalfWayIfTheRailBreaks) {
  g_params.short_read = 100;
  g_params.reset_after = 1;
  World world;
  const btl::HandlerTable& below = world.wrapped.host->handlers();
  world.module.arrive(below, 0, {kTag, "01234567", std::string(250, 'y')});
  world.passes(2);
  EXPECT_EQ(world.delivered, 0);
  EXPECT_EQ(world.memory, std::string(200, 'y') + std::string(50, '?'));
  world.passes(1);
  EXPECT_EQ(world.delivered, 1);
  world.module.arrive(below, 0, {kTag, "01234567", std::string(250, 'z')});
  world.passes(1);
  EXPECT_EQ(world.sendi(1), Posted::kUnreachable) << "the rule breaks the rail";
  world.passes(3);
  EXPECT_EQ(world.given_up, 1);
  EXPECT_EQ(world.delivered, 1);
}

TEST_F(FaultTest, ItWrapsNeitherItselfNorNothing) {
  for (const char* target : {"", "fault"}) {
    g_params.target = target;
    Component component;
    fakes::QuietHost host;
    char why[btl::kReasonSize] = {};
    EXPECT_EQ(component.open(host, why, sizeof why), Errc::kInvalid);
    EXPECT_NE(std::string(why).find("btl_fault_target"), std::string::npos) << why;
  }
}

TEST_F(FaultTest, APeerIsReleasedWithoutMemory) {
  g_params.delay = 1;
  g_params.delay_ns = 3'600'000'000'000;
  World world;
  Parcel held;
  ASSERT_EQ(world.rail.module->send(*world.rail.endpoint, held), Posted::kPending);
  {
    const tests::FailingMemory none(0);
    world.component.release_peer(0);
    world.passes(1);
    EXPECT_TRUE(world.component.flushed());
  }
  EXPECT_EQ(held.ends, 1);
  EXPECT_EQ(held.status, Errc::kShutdown);
  btl::Reach reach;
  world.component.add_procs(0, reach);
  ASSERT_EQ(reach.count, 1u);
  EXPECT_NE(reach.rails[0].endpoint, world.rail.endpoint) << "that one was let go";
}

}  // namespace
}  // namespace hawser::fault
