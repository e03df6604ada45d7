// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Where values come from, and which one counts (Open MPI issues 10159, 6433 and 12682).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "framework/mca/registry.hpp"
#include "framework/mca/sources.hpp"
#include "tests/unit/scratch.hpp"

namespace hawser::mca {
namespace {

using testing::HasSubstr;

struct Params {
  std::int64_t count = 0;
  bool flag = false;
  const char* list = nullptr;
};

/// A process whose sources are all in one folder.
class SourcesTest : public testing::Test {
 protected:
  SourcesTest() {
    environment_.set("HOME", scratch_.path("home"));
    environment_.set("HAWSER_SYSTEM_PARAMS", scratch_.path("system.conf"));
    environment_.set("HAWSER_OVERRIDE_PARAMS", scratch_.path("override.conf"));
    for (const char* name : {"HAWSER_LAUNCH_TUNE", "HAWSER_LAUNCH_MCA"}) environment_.unset(name);
  }
  /// The view of `name` after reading everything afresh.
  ParamView read(const std::string& name) {
    Registry registry;
    ParamRow rows[] = {param_int("t_count", &params_.count, "7", {0, 100}, 1, "a number"),
                       param_bool("t_flag", &params_.flag, "no", 1, "a switch"),
                       param_string("t_list", &params_.list, "a,b", 1, "a list")};
    EXPECT_TRUE(registry.declare("", "", rows, 3));
    auto ok = registry.read_sources();
    EXPECT_TRUE(ok) << (ok ? "" : ok.error().text);
    list_ = params_.list;  // the registry owns the text
    return *registry.find(name);
  }
  std::string error() {
    Registry registry;
    auto ok = registry.read_sources();
    return ok ? "" : ok.error().text;
  }

  test::Scratch scratch_;
  test::Environment environment_;
  Params params_;
  std::string list_;
};

struct Subject {
  const char* name;
  std::vector<const char*> values;  // default, system file, user file, environment, command line
};

// All sixteen combinations of four sources, for a number, a switch and a list.
TEST_F(SourcesTest, StrongestOfEachCombination) {
  const Subject subjects[] = {{"t_count", {"7", "1", "2", "3", "4"}},
                              {"t_flag", {"no", "yes", "off", "true", "0"}},
                              {"t_list", {"a,b", "c", "d,e", "", "f"}}};
  for (const Subject& subject : subjects) {
    std::string variable = std::string("HAWSER_MCA_") + subject.name;
    const std::string wheres[] = {"default", scratch_.path("system.conf") + ":1",
                                  scratch_.path("home/.hawser/mca-params.conf") + ":1",
                                  "environment " + variable, "command line"};
    for (unsigned set = 0; set < 16; ++set) {
      auto line = [&](int i) {
        return (set >> (i - 1)) & 1 ? std::string(subject.name) + " = " + subject.values[i] : std::string();
      };
      scratch_.write("system.conf", line(1));
      scratch_.write("home/.hawser/mca-params.conf", line(2));
      (set & 4) ? environment_.set(variable, subject.values[3]) : environment_.unset(variable);
      std::string handed = std::string(subject.name) + "=" + subject.values[4];
      (set & 8) ? environment_.set("HAWSER_LAUNCH_MCA", handed) : environment_.unset("HAWSER_LAUNCH_MCA");
      std::size_t winner = set & 8 ? 4 : set & 4 ? 3 : set & 2 ? 2 : set & 1 ? 1 : 0;

      ParamView view = read(subject.name);
      EXPECT_EQ(view.value, subject.values[winner]) << subject.name << " set " << set;
      EXPECT_EQ(view.where, wheres[winner]) << subject.name << " set " << set;
      if (view.name == "t_count") {
        EXPECT_EQ(params_.count, std::stoi(subject.values[winner]));
      } else if (view.name == "t_flag") {
        EXPECT_EQ(params_.flag, winner == 1 || winner == 3) << set;
      } else {
        EXPECT_EQ(list_, subject.values[winner]);
      }
    }
    environment_.unset(variable);
  }
}

// Taking sources away one by one, strongest first.
TEST_F(SourcesTest, WholeLadder) {
  scratch_.write("override.conf", "t_count = 1");
  environment_.set("HAWSER_LAUNCH_MCA", std::string("t_list=x\x1ft_count=2"));
  environment_.set("HAWSER_MCA_t_count", "3");
  environment_.set("OMPI_MCA_t_count", "4");
  std::string first = scratch_.write("first.conf", "t_count = 6");
  std::string second = scratch_.write("second.conf", "t_count = 5");
  environment_.set("HAWSER_LAUNCH_TUNE", first + ":" + second);
  scratch_.write("home/.hawser/mca-params.conf", "t_count = 8");
  scratch_.write("system.conf", "\nt_count = 9");
  const std::vector<std::pair<std::string, std::function<void()>>> ladder = {
      {"1", [&] { scratch_.write("override.conf", ""); }},
      {"2", [&] { environment_.unset("HAWSER_LAUNCH_MCA"); }},
      {"3", [&] { environment_.unset("HAWSER_MCA_t_count"); }},
      {"4", [&] { environment_.unset("OMPI_MCA_t_count"); }},
      {"5", [&] { environment_.set("HAWSER_LAUNCH_TUNE", first); }},
      {"6", [&] { environment_.unset("HAWSER_LAUNCH_TUNE"); }},
      {"8", [&] { scratch_.write("home/.hawser/mca-params.conf", ""); }},
      {"9", [&] { scratch_.write("system.conf", ""); }},
      {"7", [] {}}};
  for (const auto& [value, take_away] : ladder) {
    EXPECT_EQ(read("t_count").value, value);
    take_away();
  }
}

TEST_F(SourcesTest, BadValueIsRefusedAlikeFromEverySource) {
  const std::vector<std::function<void(const std::string&)>> sources = {
      [&](const std::string& value) { scratch_.write("system.conf", "t_count = " + value); },
      [&](const std::string& value) { scratch_.write("home/.hawser/mca-params.conf", "t_count = " + value); },
      [&](const std::string& value) {
        environment_.set("HAWSER_LAUNCH_TUNE", scratch_.write("tune.conf", "t_count = " + value));
      },
      [&](const std::string& value) { environment_.set("OMPI_MCA_t_count", value); },
      [&](const std::string& value) { environment_.set("HAWSER_MCA_t_count", value); },
      [&](const std::string& value) { environment_.set("HAWSER_LAUNCH_MCA", "t_count=" + value); },
      [&](const std::string& value) { scratch_.write("override.conf", "t_count = " + value); }};
  for (const auto& give : sources) {
    for (const char* value : {"101", "-1", "many", "1x", "1000000000000000000000000"}) {
      give(value);
      Registry registry;
      ParamRow row = param_int("t_count", &params_.count, "7", {0, 100}, 1, "a number");
      ASSERT_TRUE(registry.declare("", "", &row, 1));
      auto ok = registry.read_sources();
      ASSERT_FALSE(ok) << value;
      EXPECT_THAT(ok.error().text, HasSubstr("parameter t_count ("));
      EXPECT_THAT(ok.error().text, HasSubstr("allowed: 0 to 100"));
      EXPECT_THAT(ok.error().text, HasSubstr("\"" + std::string(value) + "\""));
      EXPECT_EQ(params_.count, 7);
    }
    give("1");  // stronger sources come after, and must not be hidden by this one
  }
}

TEST_F(SourcesTest, FilesThatNeedNotExistAndThoseThatMust) {
  EXPECT_EQ(error(), "");
  environment_.set("HAWSER_LAUNCH_TUNE", scratch_.path("absent.conf"));
  EXPECT_THAT(error(), HasSubstr("absent.conf does not exist"));
}

TEST_F(SourcesTest, FileThatCannotBeParsedIsNamed) {
  std::string file = scratch_.write("home/.hawser/mca-params.conf", "# fine\nt_count 5\n");
  EXPECT_THAT(error(), HasSubstr(file + ":2: \"t_count 5\" has no \"=\""));
}

TEST_F(SourcesTest, SameNameTwice) {
  std::string file = scratch_.write("home/.hawser/mca-params.conf", "a = 1\na = 2\n");
  EXPECT_THAT(error(), HasSubstr("\"1\" (" + file + ":1) and \"2\" (" + file + ":2)"));
  scratch_.write("home/.hawser/mca-params.conf", "");
  environment_.set("HAWSER_LAUNCH_MCA",
                   "a=1\x1f"
                   "a=2");
  EXPECT_THAT(error(), HasSubstr("\"1\" (command line) and \"2\" (command line)"));
}

TEST(Sources, CommandLineAsTheLauncherHandsItDown) {
  auto batch = parse_command_line(
      "a=1\x1f"
      "b=x=y\x1f"
      "c=");
  ASSERT_TRUE(batch);
  ASSERT_EQ(batch->size(), 3u);
  EXPECT_EQ((*batch)[1].name + "|" + (*batch)[1].value, "b|x=y");
  EXPECT_EQ((*batch)[2].value, "");
  EXPECT_TRUE(parse_command_line("")->empty());
  EXPECT_FALSE(parse_command_line("novalue"));
  EXPECT_FALSE(parse_command_line("=1"));
}

TEST(Sources, EnvironmentUnderAPrefix) {
  const char* const variables[] = {"HAWSER_MCA_btl=self", "OMPI_MCA_btl=tcp", "HAWSER_MCA_odd", "PATH=/bin",
                                   nullptr};
  Batch batch = read_environment(variables, "HAWSER_MCA_", Source::kEnvironment);
  ASSERT_EQ(batch.size(), 1u);
  EXPECT_EQ(batch[0].name, "btl");
  EXPECT_EQ(batch[0].where, "environment HAWSER_MCA_btl");
}

TEST(Sources, OtherVariablesAreReadOnlyAsFarAsTheirNamesAgree) {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* pages = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  char* const end = static_cast<char*>(pages) + page;
  ASSERT_EQ(::mprotect(end, page, PROT_NONE), 0);  // who reads on dies
  const std::string begin = "HAWSER_C";
  char* const entry = end - begin.size();
  begin.copy(entry, begin.size());
  const char* const variables[] = {entry, "HAWSER_MCA_btl=self", nullptr};
  EXPECT_EQ(read_environment(variables, "HAWSER_MCA_", Source::kEnvironment).size(), 1u);
  ::munmap(pages, 2 * page);
}

}  // namespace
}  // namespace hawser::mca
