// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Component lists against what is there (Open MPI issues 5280 and 9881).
#include "tests/unit/loader/fixture.hpp"

namespace hawser::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// self, good, other; and one that is refused.
class SelectTest : public LoaderTest {
 protected:
  SelectTest() {
    for (const char* name : {"self", "good", "other", "major"}) add(name);
    EXPECT_TRUE(discover());
  }
  Stage stage(const std::string& name) const { return at(folder_ + "/" + file_name(name)).stage; }
  std::string reason(const std::string& name) const { return at(folder_ + "/" + file_name(name)).reason; }
  std::string error(const std::string& list) {
    auto notes = loader_.select(list);
    return notes ? "" : notes.error().text;
  }
};

TEST_F(SelectTest, NamedOnesAndNoOther) {
  auto notes = loader_.select("other,self");
  ASSERT_TRUE(notes) << notes.error().text;
  EXPECT_THAT(*notes, IsEmpty());
  EXPECT_EQ(stage("other"), Stage::kSelected);
  EXPECT_EQ(stage("self"), Stage::kSelected);
  EXPECT_EQ(stage("good"), Stage::kExcluded);
  EXPECT_EQ(reason("good"), "not in btl = other,self");
  EXPECT_EQ(stage("major"), Stage::kRefused);
}

TEST_F(SelectTest, EmptyListLeavesTheChoiceOpen) {
  ASSERT_TRUE(loader_.select(""));
  for (const char* name : {"self", "good", "other"}) EXPECT_EQ(stage(name), Stage::kSelected) << name;
}

TEST_F(SelectTest, OneThatWantsToBeNamedIsNeverChosenOfItself) {
  add("shy");
  mca::Registry registry;
  Loader loader;
  ASSERT_TRUE(loader.discover(registry, folder_));
  auto view = [&] {
    for (const auto& plugin : loader.plugins()) {
      if (plugin.name == "shy") return plugin;
    }
    return PluginView{};
  };
  ASSERT_TRUE(loader.select(""));
  EXPECT_EQ(view().stage, Stage::kExcluded);
  EXPECT_EQ(view().reason, "used only if btl names it");
  ASSERT_TRUE(loader.select("^other"));
  EXPECT_EQ(view().stage, Stage::kExcluded) << "a list of what is not wanted names nobody";
  ASSERT_TRUE(loader.select("shy,self"));
  EXPECT_EQ(view().stage, Stage::kSelected);
  auto found = loader.descriptor("good");
  ASSERT_TRUE(found) << "whether it is used or not";
  EXPECT_STREQ((*found)->name, "good");
  EXPECT_THAT(loader.descriptor("major").error().text,
              HasSubstr(fmt::format("was built for version 99.{}", btl::kAbiMinor)));
  EXPECT_THAT(loader.descriptor("goof").error().text, HasSubstr("did you mean \"good\"?"));
}

TEST_F(SelectTest, BlanksAndDuplicates) {
  ASSERT_TRUE(loader_.select(" good , self,good"));
  EXPECT_EQ(stage("good"), Stage::kSelected);
  EXPECT_EQ(stage("other"), Stage::kExcluded);
}

TEST_F(SelectTest, NameThatDoesNotExist) {
  std::string text = error("good,selff");
  EXPECT_THAT(
      text,
      HasSubstr("btl = good,selff: component \"selff\" does not exist: no file hawser_btl_selff.so in "));
  EXPECT_THAT(text, HasSubstr(folder_));
  EXPECT_THAT(text, HasSubstr("good, other, self"));
  EXPECT_THAT(text, HasSubstr("did you mean \"self\"?"));
  EXPECT_THAT(error("GOOD"), HasSubstr("component \"GOOD\" does not exist"));
}

TEST_F(SelectTest, NameThatWasRefused) {
  std::string text = error("self,major");
  EXPECT_THAT(text,
              HasSubstr("component \"major\" cannot be used: " + folder_ +
                        fmt::format("/hawser_btl_major.so was built for version 99.{}", btl::kAbiMinor)));
}

TEST_F(SelectTest, ErrorNamesTheSourceOfTheList) {
  const char* list = nullptr;
  mca::ParamRow row = mca::param_string("btl", &list, "", 1, "components");
  ASSERT_TRUE(registry_.declare("", "", &row, 1));
  ASSERT_TRUE(registry_.apply({{"btl", "selff", mca::Source::kUserFile, "/etc/hawser/mca-params.conf:3"}}));
  EXPECT_THAT(error(list), HasSubstr("btl = selff (/etc/hawser/mca-params.conf:3): component \"selff\""));
}

TEST_F(SelectTest, CaretCoversTheWholeList) {
  auto notes = loader_.select("^good,self");
  ASSERT_TRUE(notes);
  EXPECT_EQ(stage("good"), Stage::kExcluded);
  EXPECT_EQ(stage("self"), Stage::kExcluded);
  EXPECT_EQ(reason("self"), "excluded by btl = ^good,self");
  EXPECT_EQ(stage("other"), Stage::kSelected);
  EXPECT_THAT(*notes, ElementsAre(HasSubstr("takes \"self\" away too")));
}

TEST_F(SelectTest, ExcludingTheUnknownIsANote) {
  auto notes = loader_.select("^selff");
  ASSERT_TRUE(notes);
  EXPECT_THAT(*notes,
              ElementsAre("btl = ^selff excludes \"selff\", which does not exist; did you mean \"self\"?"));
  EXPECT_EQ(stage("self"), Stage::kSelected);
  EXPECT_THAT(*loader_.select("^major"), IsEmpty()) << "it is there, if not of use";
}

TEST_F(SelectTest, CaretInsideIsAnError) {
  EXPECT_THAT(error("good,^self"), HasSubstr("caret may stand at the start"));
}

TEST_F(SelectTest, NothingLeft) {
  std::string all = "^";
  for (const auto& plugin : loader_.plugins()) all += plugin.name + ",";
  all.pop_back();
  EXPECT_THAT(error(all), HasSubstr("leaves no component; those that exist: "));
}

}  // namespace
}  // namespace hawser::loader
