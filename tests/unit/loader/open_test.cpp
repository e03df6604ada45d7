// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Opening what was selected.
#include "tests/fakes/quiet_host.hpp"
#include "tests/unit/loader/fixture.hpp"

namespace hawser::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OpenTest : public LoaderTest {
 protected:
  OpenTest() {
    for (const char* name : {"self", "good", "closed", "null", "throws"}) add(name);
    EXPECT_TRUE(discover());
  }
  Result<void> open(const std::string& list) {
    auto notes = loader_.select(list);
    if (!notes) return notes.error();
    return loader_.open(host_);
  }
  std::vector<std::string> open_names() const {
    std::vector<std::string> names;
    for (const btl::Component* component : loader_.components())
      names.emplace_back(loader_.name_of(*component));
    return names;
  }
  PluginView view(const std::string& name) const { return at(folder_ + "/" + file_name(name)); }

  fakes::QuietHost host_;
};

TEST_F(OpenTest, InTheOrderOfTheList) {
  ASSERT_TRUE(open("self,good"));
  EXPECT_THAT(open_names(), ElementsAre("self", "good"));
  EXPECT_EQ(view("good").stage, Stage::kOpen);
  loader_.close();
  EXPECT_TRUE(loader_.components().empty());
  EXPECT_EQ(view("good").stage, Stage::kLoaded);
}

/// A list that takes away all but some, so that whatever else the build has does not matter.
std::string all_but(const Loader& loader, const std::vector<std::string>& kept) {
  std::string list = "^";
  for (const auto& plugin : loader.plugins()) {
    bool keep = std::find(kept.begin(), kept.end(), plugin.name) != kept.end();
    if (!keep) list += (list.size() > 1 ? "," : "") + plugin.name;
  }
  return list == "^" ? "" : list;
}

TEST_F(OpenTest, OneThatCannotOpenIsDroppedIfNobodyNamedIt) {
  ASSERT_TRUE(open(all_but(loader_, {"self", "good", "closed", "null", "throws"})));
  EXPECT_THAT(open_names(), ElementsAre("good", "self"));
  EXPECT_EQ(view("closed").stage, Stage::kOpenFailed);
  EXPECT_EQ(view("closed").reason, "could not open: no network of the kind closed, links 1");
  EXPECT_THAT(view("null").reason, HasSubstr("could not be created"));
  EXPECT_THAT(view("throws").reason, HasSubstr("no luck"));
}

TEST_F(OpenTest, OneThatCannotOpenIsFatalIfNamed) {
  auto ok = open("good,closed");
  ASSERT_FALSE(ok);
  EXPECT_EQ(ok.error().code, Errc::kUnreachable);
  EXPECT_EQ(ok.error().text,
            "btl = good,closed: component \"closed\" could not open: no network of the kind closed, links 1");
}

TEST_F(OpenTest, NoneLeft) {
  auto ok = open(all_but(loader_, {"closed", "null"}));
  ASSERT_FALSE(ok);
  EXPECT_THAT(ok.error().text,
              HasSubstr("no component is left to carry messages; \"closed\" could not open: no network"));
  EXPECT_THAT(ok.error().text, HasSubstr("\"null\" could not be created"));
}

}  // namespace
}  // namespace hawser::loader
