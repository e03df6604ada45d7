// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// `hawser info --why`, `--diff`, `--counters`, `--machines`.
#include <algorithm>
#include <set>

#include "tests/tools/info_run.hpp"

namespace hawser::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

std::set<std::string> names_of(const nlohmann::json& list) {
  std::set<std::string> names;
  for (const auto& one : list) names.insert(one.at("name"));
  return names;
}

TEST_F(InfoTest, WhyNamesTheParameterThatKeepsAComponentOut) {
  const std::string file = scratch_.write("home/.hawser/mca-params.conf", "# mine\nbtl = self,tcp\n");
  const auto why = json({"--why"}).at("why").at("components");
  const auto tcp = named(why, "tcp");
  EXPECT_EQ(tcp.at("used"), true);
  EXPECT_EQ(tcp.at("reason"), "named by btl = self,tcp (" + file + ":2)");
  const auto shm = named(why, "shm");
  EXPECT_EQ(shm.at("used"), false);
  EXPECT_THAT(shm.at("reason"), HasSubstr("not in btl = self,tcp"));
  EXPECT_EQ(shm.at("parameter").at("name"), "btl");
  EXPECT_EQ(shm.at("parameter").at("where"), file + ":2");
  EXPECT_EQ(shm.at("parameter").at("source"), "user file");
}

TEST_F(InfoTest, WhyWithoutAnySetting) {
  const auto why = json({"--why"}).at("why").at("components");
  EXPECT_EQ(named(why, "self").at("used"), true);
  EXPECT_EQ(named(why, "self").at("parameter").at("where"), "default");
  EXPECT_EQ(named(why, "fault").at("reason"), "used only if btl names it");
}

TEST_F(InfoTest, WhyTellsOfEachInterface) {
  const auto lo = named(json({"--why"}).at("why").at("interfaces"), "lo");
  EXPECT_EQ(lo.at("used"), true) << lo;
  EXPECT_THAT(lo.at("reason"), HasSubstr("within this node only"));
  environment_.set("HAWSER_MCA_btl_tcp_if_exclude", "lo");
  const auto out = json({"--why", "--mca", "btl_base_verbose", "0"}).at("why").at("interfaces");
  EXPECT_EQ(named(out, "lo").at("used"), false);
  EXPECT_EQ(named(out, "lo").at("parameter").at("name"), "btl_tcp_if_exclude");
  EXPECT_EQ(named(out, "lo").at("parameter").at("where"), "environment HAWSER_MCA_btl_tcp_if_exclude");
}

TEST_F(InfoTest, WhyOfInterfacesWithoutTcp) {
  const Ran ran = info({"--why", "--mca", "btl", "^tcp"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("tcp is not used: excluded by btl = ^tcp (command line)"));
}

TEST_F(InfoTest, DiffIsWhatSomebodySet) {
  EXPECT_EQ(info({"--diff"}).out, "Every parameter has its default.\n");
  scratch_.write("home/.hawser/mca-params.conf", "btl_self_eager_limit = 32k\n");
  environment_.set("HAWSER_MCA_hawser_modex_timeout", "7s");
  const auto changed = json({"--diff", "--mca", "btl", "self"}).at("parameters");
  EXPECT_EQ(names_of(changed),
            (std::set<std::string>{"btl", "btl_self_eager_limit", "hawser_modex_timeout"}));
  EXPECT_EQ(named(changed, "hawser_modex_timeout").at("where"),
            "environment HAWSER_MCA_hawser_modex_timeout");
  const Ran ran = info({"--diff"});
  EXPECT_THAT(ran.out, HasSubstr(scratch_.path("home/.hawser/mca-params.conf:1")));
  EXPECT_THAT(ran.out, HasSubstr("default 64k"));
  EXPECT_THAT(ran.out, Not(HasSubstr("btl_base_verbose")));
}

TEST_F(InfoTest, CountersSayWhatTheyCount) {
  const auto counters = json({"--counters"}).at("counters");
  const auto writes = named(counters, "short_writes");
  EXPECT_EQ(writes.at("owner"), "component tcp");
  EXPECT_EQ(writes.at("unit"), "writes");
  EXPECT_THAT(writes.at("scope"), HasSubstr("module"));
  EXPECT_EQ(std::count_if(counters.begin(), counters.end(),
                          [](const auto& one) { return one.at("name") == "bytes_sent"; }),
            1)
      << "what all components count is told once";
  EXPECT_EQ(named(counters, "sent_again").at("owner"), "bml");
  EXPECT_THAT(info({"--counters"}).out, HasSubstr("wakeups_sent"));
}

TEST_F(InfoTest, MachinesAsTextAndGraph) {
  const auto tcp = named(json({"--machines"}).at("machines"), "tcp rail");
  EXPECT_EQ(tcp.at("states").at(0).at("name"), "idle");
  const auto first = tcp.at("edges").at(0);
  EXPECT_EQ(first.at("from"), "idle");
  EXPECT_EQ(first.at("event"), "dial");
  EXPECT_EQ(first.at("to"), "connecting");
  EXPECT_THAT(info({"--machines"}).out, testing::ContainsRegex("idle +on dial +connecting\n"));
  const std::string dot = info({"--machines", "--dot"}).out;
  EXPECT_THAT(dot, testing::StartsWith("digraph "));
  EXPECT_THAT(dot, HasSubstr("s0 -> s1 [label=\"dial\"];"));
  EXPECT_EQ(info({"--dot"}).status, 2);
}

TEST_F(InfoTest, OnePartAtATime) {
  EXPECT_EQ(info({"--why", "--diff"}).status, 2);
}

}  // namespace
}  // namespace hawser::tools
