// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What a plug-in tells of itself is judged before anybody prints it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/loader/loader.hpp"

namespace hawser::loader {
namespace {

using testing::HasSubstr;

struct Telling : testing::Test {
  CounterInfo counter{"turns", "times", "times something turned"};
  MachineWord states[2] = {{"off", "is not on"}, {"on", "is not off"}};
  MachineWord events[1] = {{"switch", "somebody came"}};
  MachineEdge edges[2] = {{0, 0, 1}, {1, 0, 0}};
  MachineInfo machine{"lamp", "shines", states, events, edges, 2, 1, 2};
  hawser_btl_descriptor descriptor{};

  Telling() {
    descriptor.abi_minor = 1;
    descriptor.counters = &counter;
    descriptor.counter_count = 1;
    descriptor.machines = &machine;
    descriptor.machine_count = 1;
  }
  std::string fault() const {
    const auto told = told_by(descriptor);
    return told ? "" : told.error().text;
  }
};

TEST_F(Telling, WhatIsWholeIsGiven) {
  const auto told = told_by(descriptor);
  ASSERT_TRUE(told) << told.error().text;
  EXPECT_EQ(told->counters.size(), 1u);
  EXPECT_EQ(told->machines.size(), 1u);
  descriptor.counters = nullptr;
  descriptor.counter_count = 0;
  machine.edges = nullptr;
  machine.edge_count = 0;
  EXPECT_EQ(fault(), "");
}

TEST_F(Telling, OfAnOlderOneNothingIsRead) {
  descriptor.abi_minor = 0;
  descriptor.counters = nullptr;
  EXPECT_EQ(fault(), "");
}

TEST_F(Telling, TablesThatAreNotThere) {
  descriptor.counters = nullptr;
  EXPECT_THAT(fault(), HasSubstr("list of counters is damaged"));
  descriptor.counters = &counter;
  descriptor.machines = nullptr;
  EXPECT_THAT(fault(), HasSubstr("list of state machines is damaged"));
  descriptor.machines = &machine;
  descriptor.machine_count = ~0u;
  EXPECT_THAT(fault(), HasSubstr("list of state machines is damaged"));
}

TEST_F(Telling, TablesOfAMachineThatAreNotThere) {
  const auto fault_of = [&](MachineInfo other) {
    machine = other;
    return fault();
  };
  const MachineInfo good = machine;
  EXPECT_THAT(fault_of({"lamp", "shines", nullptr, events, edges, 2, 1, 2}),
              HasSubstr("\"lamp\": its states"));
  EXPECT_THAT(fault_of({"lamp", "shines", states, events, edges, 0, 1, 0}),
              HasSubstr("\"lamp\": its states"));
  EXPECT_THAT(fault_of({"lamp", "shines", states, nullptr, edges, 2, 1, 2}),
              HasSubstr("\"lamp\": its events"));
  EXPECT_THAT(fault_of({"lamp", "shines", states, events, nullptr, 2, 1, 2}), HasSubstr("list of edges"));
  EXPECT_EQ(fault_of(good), "");
}

TEST_F(Telling, NoTextIsNullOrEmpty) {
  for (const char** text : {&counter.name, &counter.unit, &counter.help, &machine.name, &machine.help,
                            &states[1].name, &states[1].help, &events[0].name, &events[0].help}) {
    const char* const good = *text;
    for (const char* bad : {static_cast<const char*>(nullptr), ""}) {
      *text = bad;
      EXPECT_THAT(fault(), HasSubstr("lack")) << good;
    }
    *text = good;
  }
  EXPECT_EQ(fault(), "");
}

TEST_F(Telling, EdgesLeadWithinTheirTables) {
  for (std::uint16_t* end : {&edges[1].from, &edges[1].event, &edges[1].to}) {
    const std::uint16_t good = *end;
    *end = 2;
    EXPECT_THAT(fault(), HasSubstr("edge 1 leads outside its tables"));
    *end = good;
  }
  EXPECT_EQ(fault(), "");
}

}  // namespace
}  // namespace hawser::loader
