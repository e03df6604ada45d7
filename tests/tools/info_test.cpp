// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// `hawser info`, as people and programs see it.
#include <fmt/format.h>

#include <filesystem>

#include "framework/btl/abi.hpp"
#include "tests/tools/info_run.hpp"

namespace hawser::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(InfoTest, ShowsComponentsAndParameters) {
  Ran ran = info({});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "") << "a correct run says nothing more";
  EXPECT_THAT(ran.out, HasSubstr("hawser_btl_self.so"));
  EXPECT_THAT(ran.out, HasSubstr(fmt::format("component interface {}.{}", btl::kAbiMajor, btl::kAbiMinor)));
  EXPECT_THAT(ran.out, HasSubstr(COMPONENT_FOLDER));
  EXPECT_THAT(ran.out, HasSubstr("mca_component_path"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b["))) << "no colours but on a terminal";
}

TEST_F(InfoTest, LevelsNarrowTheList) {
  EXPECT_THAT(info({"--level", "1"}).out, Not(HasSubstr("mca_component_path")));
  EXPECT_THAT(info({}).out, Not(HasSubstr("btl_self_exclusivity")));
  EXPECT_THAT(info({"--all"}).out, HasSubstr("btl_self_exclusivity"));
  EXPECT_EQ(info({"--level", "10"}).status, 2);
  // What the user set is of interest whatever its level.
  EXPECT_THAT(info({"--mca", "btl_self_exclusivity", "5"}).out, HasSubstr("btl_self_exclusivity"));
}

TEST_F(InfoTest, ParametersOfOneComponent) {
  Ran ran = info({"--param", "btl", "self"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("btl_self_eager_limit"));
  EXPECT_THAT(ran.out, Not(HasSubstr("btl_base_verbose")));
  EXPECT_THAT(ran.out, Not(HasSubstr("Components")));
  EXPECT_THAT(info({"--param", "btl", "base"}).out, HasSubstr("btl_base_verbose"));
  EXPECT_THAT(info({"--param", "all", "all"}).out, HasSubstr("hawser_spin_time"));
  Ran wrong = info({"--param", "btl", "selff"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("no parameters of \"btl selff\"; did you mean \"btl self\"?"));
}

TEST_F(InfoTest, ValueWithItsSource) {
  scratch_.write("home/.hawser/mca-params.conf", "# mine\nbtl_self_eager_limit = 32k\n");
  auto param = named(json({}).at("parameters"), "btl_self_eager_limit");
  EXPECT_EQ(param.at("value"), "32k");
  EXPECT_EQ(param.at("source"), "user file");
  EXPECT_EQ(param.at("where"), scratch_.path("home/.hawser/mca-params.conf:2"));
  EXPECT_EQ(param.at("default"), "64k");
  EXPECT_EQ(param.at("type"), "size");
  environment_.set("HAWSER_MCA_btl_self_eager_limit", "16k");
  EXPECT_THAT(info({"--all"}).out, HasSubstr("environment HAWSER_MCA_btl_self_eager_limit"));
  param = named(json({"--mca", "btl_self_eager_limit", "8k"}).at("parameters"), "btl_self_eager_limit");
  EXPECT_EQ(param.at("value").get<std::string>() + ", " + param.at("where").get<std::string>(),
            "8k, command line");
}

TEST_F(InfoTest, SeveralSettingsOnTheCommandLine) {
  auto report = json({"--mca", "btl", "self", "--mca", "btl_self_eager_limit", "8k"});
  EXPECT_EQ(status_, 0);
  EXPECT_EQ(named(report.at("parameters"), "btl").at("value"), "self");
  EXPECT_EQ(named(report.at("parameters"), "btl_self_eager_limit").at("value"), "8k");
}

TEST_F(InfoTest, WhyAComponentIsNotUsed) {
  std::string folder = std::filesystem::canonical(scratch_.path("")).string() + "/components";
  scratch_.write("components/hawser_btl_broken.so", "a text");
  auto report = json({"--mca", "mca_component_path", folder, "--mca", "btl", "^self"});
  auto broken = named(report.at("components"), "broken");
  EXPECT_EQ(broken.at("stage"), "refused");
  EXPECT_EQ(broken.at("reason"), "is not a shared library (no ELF header)");
  auto self = named(report.at("components"), "self");
  EXPECT_EQ(self.at("stage"), "excluded");
  EXPECT_EQ(self.at("reason"), "excluded by btl = ^self (command line)");
  EXPECT_EQ(report.at("search_path").at(0), folder);
}

TEST_F(InfoTest, SelectionThatCannotBeMet) {
  Ran ran = info({"--mca", "btl", "self,selff"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("btl = self,selff (command line): component \"selff\" does not exist"));
  EXPECT_THAT(ran.err, HasSubstr("did you mean \"self\"?"));
  EXPECT_THAT(ran.out, HasSubstr("hawser_btl_self.so")) << "what there is, is shown all the same";
}

TEST_F(InfoTest, BadValueAndUnknownName) {
  Ran bad = info({"--mca", "btl_self_eager_limit", "lots"});
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.err, HasSubstr("parameter btl_self_eager_limit (command line): \"lots\" is not a number"));
  Ran unknown = info({"--mca", "btl_self_eager_limt", "1k"});
  EXPECT_EQ(unknown.status, 0);
  EXPECT_THAT(unknown.err, HasSubstr("unknown parameter \"btl_self_eager_limt\" (command line); did you mean "
                                     "\"btl_self_eager_limit\"?"));
  EXPECT_EQ(info({"--mca", "mca_base_unknown", "error", "--mca", "btl_self_eager_limt", "1k"}).status, 1);
  EXPECT_EQ(info({"--mca", "mca_base_unknown", "ignore", "--mca", "btl_self_eager_limt", "1k"}).err, "");
}

TEST_F(InfoTest, ParameterOfAnExcludedComponentIsKnown) {
  Ran ran = info({"--mca", "btl", "^self", "--mca", "btl_self_eager_limit", "1k"});
  EXPECT_THAT(ran.err, Not(HasSubstr("unknown")));
}

TEST_F(InfoTest, SameNameTwiceOnTheCommandLine) {
  Ran ran = info({"--mca", "btl", "self", "--mca", "btl", ""});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("parameter btl is given twice with different values"));
}

TEST_F(InfoTest, TuneFile) {
  std::string file = scratch_.write("tune.conf", "btl_self_eager_limit = 2k\n");
  auto param = named(json({"--tune", file}).at("parameters"), "btl_self_eager_limit");
  EXPECT_EQ(param.at("where"), file + ":1");
  Ran absent = info({"--tune", scratch_.path("absent")});
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.err, HasSubstr("does not exist"));
}

// A tree that was moved reads the file beside its own library.
TEST_F(InfoTest, FileOfTheInstallation) {
  std::string tree = std::filesystem::canonical(scratch_.path("")).string() + "/tree";
  std::filesystem::create_directories(tree + "/lib");
  std::filesystem::copy_file(HAWSER_LIBRARY, tree + "/lib/" HAWSER_LIBRARY_NAME);
  std::string file = scratch_.write("tree/etc/hawser/mca-params.conf", "btl_base_verbose = 0x7\n");
  std::string over =
      scratch_.write("tree/etc/hawser/mca-params-override.conf", "hawser_modex_timeout = 7s\n");
  environment_.unset("HAWSER_SYSTEM_PARAMS");
  environment_.unset("HAWSER_OVERRIDE_PARAMS");
  environment_.set("LD_LIBRARY_PATH", tree + "/lib");
  auto report = json({"--mca", "hawser_modex_timeout", "9s"});
  ASSERT_EQ(report.at("library"), tree + "/lib/" HAWSER_LIBRARY_NAME);
  auto verbose = named(report.at("parameters"), "btl_base_verbose");
  EXPECT_EQ(verbose.at("value"), "0x7");
  EXPECT_EQ(verbose.at("source"), "system file");
  EXPECT_EQ(verbose.at("where"), tree + "/etc/hawser/mca-params.conf:1");
  auto timeout = named(report.at("parameters"), "hawser_modex_timeout");
  EXPECT_EQ(timeout.at("value"), "7s") << "the override file is stronger than the command line";
  EXPECT_EQ(report.at("search_path").back(), tree + "/lib/hawser");
}

TEST_F(InfoTest, Program) {
  EXPECT_THAT(hawser({"--version"}).out, testing::StartsWith("hawser "));
  EXPECT_EQ(hawser({"--help"}).status, 0);
  EXPECT_EQ(hawser({}).status, 2);
  Ran unknown = hawser({"inof"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"info\"?"));
}

}  // namespace
}  // namespace hawser::tools
