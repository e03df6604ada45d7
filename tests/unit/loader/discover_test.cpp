// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What is found, what is refused, and why (Open MPI issues 569, 3479, 6056 and 8439: plug-ins that do not
// load, or that a former installation left).
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "framework/mca/sources.hpp"
#include "tests/unit/loader/fixture.hpp"

namespace hawser::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(LoaderTest, GoodPluginIsLoadedAndItsParametersDeclared) {
  std::string path = add("good");
  ASSERT_TRUE(discover());
  PluginView view = at(path);
  EXPECT_EQ(view.stage, Stage::kLoaded) << view.reason;
  EXPECT_EQ(view.name + " " + view.version, "good 1.2");
  EXPECT_EQ(view.toolchain, HAWSER_TOOLCHAIN);
  ASSERT_TRUE(registry_.find("btl_good_links"));
  EXPECT_EQ(registry_.find("btl_good_links")->value, "1");
}

TEST_F(LoaderTest, RefusesWithTheReason) {
  const std::string ours = fmt::format("{}.{}", btl::kAbiMajor, btl::kAbiMinor);
  const std::vector<std::pair<std::string, std::string>> table = {
      {"undefined", "undefined symbol: hawser_test_function_that_nobody_has"},
      {"major",
       fmt::format("was built for version 99.{} of the component interface, this Hawser has {}; build "
                   "it against this",
                   btl::kAbiMinor, ours)},
      {"minor",
       fmt::format("version 1.99 of the component interface, this Hawser has {}; build it against this "
                   "Hawser or install",
                   ours)},
      {"magic", "wrong magic number"},
      {"framework", "is a component of the framework \"pml\", not of \"btl\""},
      {"misnamed", "calls itself \"another\", but its file is named for \"misnamed\""},
      {"swollen", fmt::format("was built with Attributes of {} bytes, this Hawser has {}; build it",
                              sizeof(btl::Attributes) + 1, sizeof(btl::Attributes))},
      {"older_swollen", fmt::format("was built with Attributes of {} bytes", sizeof(btl::Attributes) + 1)},
      {"older_rows", "has a component descriptor with a damaged list of type sizes"},
      {"rowless", "has a component descriptor with a damaged list of type sizes"},
      {"small", "has a component descriptor of 24 bytes"},
      {"short", "has a component descriptor of 96 bytes, 120 are needed"},
      {"bare", "is a shared library, but no component: it does not export hawser_btl_component"}};
  for (const auto& [name, reason] : table) add(name);
  ASSERT_TRUE(discover()) << "a refused file is no error";
  for (const auto& [name, reason] : table) {
    PluginView view = at(folder_ + "/" + file_name(name));
    EXPECT_EQ(view.stage, Stage::kRefused) << name;
    EXPECT_THAT(view.reason, HasSubstr(reason)) << name;
    EXPECT_EQ(view.reason.find('\n'), std::string::npos) << "one line: " << view.reason;
    EXPECT_FALSE(registry_.find("btl_" + name + "_links")) << name;
  }
  EXPECT_THAT(loader_.unjudged_prefixes(), testing::Contains("btl_undefined_"));
}

/// What came with 1.1 is not read from it.
TEST_F(LoaderTest, OneOfAnOlderMinorVersionHasAShorterDescriptor) {
  add("older");
  add("good");
  ASSERT_TRUE(discover());
  const auto older = loader_.descriptor("older");
  ASSERT_TRUE(older) << older.error().text;
  EXPECT_EQ((*older)->struct_size, 96u);
  EXPECT_TRUE(told_by(**older)->counters.empty());
  EXPECT_EQ(told_by(**loader_.descriptor("good"))->counters.size(), 1u);
}

TEST_F(LoaderTest, OtherFilesAreNotLookedAt) {
  scratch_.write("first/README", "text");
  scratch_.write("first/hawser_btl_.so", "text");
  scratch_.write("first/libtcp.so", "text");
  scratch_.write("first/hawser_btl_tcp.so.1", "text");
  ASSERT_TRUE(discover());
  for (const auto& plugin : loader_.plugins())
    EXPECT_EQ(plugin.path.find(folder_), std::string::npos) << plugin.path;
}

TEST_F(LoaderTest, FirstOfANameWins) {
  std::string second = std::filesystem::canonical(scratch_.path("")).string() + "/second";
  std::string first_file = add("good");
  std::string second_file = add_to(second, "good", "good");
  ASSERT_TRUE(loader_.discover(registry_, folder_ + ":" + second));
  EXPECT_EQ(at(first_file).stage, Stage::kLoaded);
  EXPECT_EQ(at(second_file).stage, Stage::kShadowed);
  EXPECT_EQ(at(second_file).reason, "shadowed by " + first_file);
}

TEST_F(LoaderTest, RefusedFileDoesNotHideAGoodOne) {
  std::string second = std::filesystem::canonical(scratch_.path("")).string() + "/second";
  std::string text = scratch_.write("first/hawser_btl_good.so", "a text");
  std::string good = add_to(second, "good", "good");
  ASSERT_TRUE(loader_.discover(registry_, folder_ + ":" + second));
  EXPECT_EQ(at(folder_ + "/hawser_btl_good.so").stage, Stage::kRefused);
  EXPECT_EQ(at(good).stage, Stage::kLoaded) << at(good).reason;
}

TEST_F(LoaderTest, SearchPath) {
  std::string base = std::filesystem::canonical(scratch_.path("")).string();
  ASSERT_TRUE(loader_.discover(registry_, base + "/a::" + base + "/b:" + base + "/a"));
  EXPECT_THAT(loader_.search_path(), ElementsAre(base + "/a", base + "/b", base + "/user/.hawser/components",
                                                 mca::library_folder() + "/hawser"));
}

TEST_F(LoaderTest, UserFolderIsSearched) {
  std::string folder = std::filesystem::canonical(scratch_.path("")).string() + "/user/.hawser/components";
  std::string path = add_to(folder, "good", "good");
  ASSERT_TRUE(loader_.discover(registry_, ""));
  EXPECT_EQ(at(path).stage, Stage::kLoaded);
}

TEST_F(LoaderTest, FolderThatOthersCanWriteIsNotTrusted) {
  std::string path = add("good");
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  ASSERT_TRUE(discover());
  EXPECT_EQ(at(path).stage, Stage::kRefused);
  EXPECT_THAT(at(path).reason, HasSubstr("can be written by everybody (mode 0777); chmod go-w it"));
  EXPECT_FALSE(registry_.find("btl_good_links")) << "it must not have been loaded";
}

TEST_F(LoaderTest, FileThatOthersCanWriteIsNotTrusted) {
  std::string path = add("good");
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  ASSERT_TRUE(discover());
  EXPECT_EQ(at(path).stage, Stage::kRefused);
  EXPECT_THAT(at(path).reason, HasSubstr("can be written by everybody"));
}

TEST_F(LoaderTest, FolderOfAnotherUserOrGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  constexpr uid_t kStranger = 54321;
  std::string path = add("good");
  ASSERT_EQ(::chown(folder_.c_str(), kStranger, 0), 0);
  ASSERT_TRUE(discover());
  EXPECT_THAT(at(path).reason, HasSubstr("belongs to user 54321, who is neither this user nor root"));
  auto trusted = [&](gid_t group, mode_t mode) {
    EXPECT_EQ(::chown(folder_.c_str(), 0, group), 0);
    EXPECT_EQ(::chmod(folder_.c_str(), mode), 0);
    mca::Registry registry;
    Loader loader;
    EXPECT_TRUE(loader.discover(registry, folder_));
    return loader.plugins().at(0).stage == Stage::kLoaded;
  };
  EXPECT_FALSE(trusted(kStranger, 0775)) << "its group can write";
  EXPECT_TRUE(trusted(kStranger, 0755));
  EXPECT_TRUE(trusted(0, 0775)) << "a group with one member of the same number";
}

TEST_F(LoaderTest, BadValueForAComponentIsTheUsersError) {
  std::string path = add("good");
  add("other");
  ASSERT_TRUE(registry_.apply({{"btl_good_links", "17", mca::Source::kCommandLine, "command line"}}));
  auto ok = discover();
  ASSERT_FALSE(ok);
  EXPECT_EQ(ok.error().text,
            "parameter btl_good_links (command line): \"17\" is too large; allowed: 1 to 16");
  EXPECT_EQ(at(path).stage, Stage::kLoaded);
  EXPECT_TRUE(registry_.find("btl_other_links")) << "the search goes on";
}

TEST_F(LoaderTest, ParametersOfComponentsThatAreThereAreKnown) {
  add("good");
  add("undefined");
  ASSERT_TRUE(registry_.apply({{"btl_good_links", "2", mca::Source::kCommandLine, "command line"},
                               {"btl_undefined_links", "2", mca::Source::kCommandLine, "command line"}}));
  ASSERT_TRUE(discover());
  EXPECT_THAT(registry_.unknown_settings(loader_.unjudged_prefixes()), IsEmpty());
}

// The components of this build: one exported symbol each.
TEST(BuiltComponents, ExportOneSymbol) {
  int seen = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(COMPONENT_FOLDER, error)) {
    if (!entry.path().filename().string().starts_with("hawser_btl_")) continue;
    std::string command = "nm -D --defined-only '" + entry.path().string() + "'";
    FILE* pipe = ::popen(command.c_str(), "r");
    ASSERT_TRUE(pipe);
    std::string symbols;
    char line[512];
    while (std::fgets(line, sizeof line, pipe)) {
      std::string text = line;
      std::string name = text.substr(text.rfind(' ') + 1);
      name.pop_back();
      // Sanitizers add their own.
      if (name.find("asan") == std::string::npos && name.find("tsan") == std::string::npos)
        symbols += name + " ";
    }
    ASSERT_EQ(::pclose(pipe), 0);
    EXPECT_EQ(symbols, "hawser_btl_component ") << entry.path();
    ++seen;
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace hawser::loader
