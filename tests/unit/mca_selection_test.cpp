// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Component lists and near names (Open MPI issues 5280 and 9881 are where the rules come from).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/mca/nearest.hpp"
#include "framework/mca/selection.hpp"

namespace hawser::mca {
namespace {

using Names = std::vector<std::string>;

TEST(Selection, ParsesLists) {
  struct Row {
    const char* text;
    bool exclude;
    Names names;
  };
  const Row table[] = {{"", false, {}},
                       {"  ", false, {}},
                       {"tcp", false, {"tcp"}},
                       {"tcp,self", false, {"tcp", "self"}},
                       {" tcp , self ", false, {"tcp", "self"}},
                       {"tcp,self,tcp", false, {"tcp", "self"}},
                       {"TCP", false, {"TCP"}},
                       {"^tcp", true, {"tcp"}},
                       {"^ tcp,self", true, {"tcp", "self"}}};
  for (const Row& row : table) {
    auto selection = parse_selection("btl", row.text);
    ASSERT_TRUE(selection) << row.text << ": " << selection.error().text;
    EXPECT_EQ(selection->exclude, row.exclude) << row.text;
    EXPECT_EQ(selection->names, row.names) << row.text;
  }
}

TEST(Selection, RefusesWhatCannotBeMeant) {
  const std::vector<Names> table = {{"tcp,^self", "caret may stand at the start only"},
                                    {"^tcp,^self", "caret may stand at the start only"},
                                    {"^^tcp", "caret may stand at the start only"},
                                    {"^", "an empty name"},
                                    {"tcp,,self", "an empty name"},
                                    {",tcp", "an empty name"},
                                    {"tcp,", "an empty name"}};
  for (const auto& row : table) {
    auto selection = parse_selection("btl", row[0]);
    ASSERT_FALSE(selection) << row[0];
    EXPECT_EQ(selection.error().code, Errc::kInvalid);
    EXPECT_NE(selection.error().text.find("btl = " + row[0]), std::string::npos) << selection.error().text;
    EXPECT_NE(selection.error().text.find(row[1]), std::string::npos) << selection.error().text;
  }
}

TEST(Selection, Allows) {
  EXPECT_TRUE(parse_selection("btl", "")->allows("tcp"));
  EXPECT_TRUE(parse_selection("btl", "tcp,self")->allows("tcp"));
  EXPECT_FALSE(parse_selection("btl", "tcp,self")->allows("shm"));
  // The caret covers the whole list.
  EXPECT_FALSE(parse_selection("btl", "^tcp,self")->allows("tcp"));
  EXPECT_FALSE(parse_selection("btl", "^tcp,self")->allows("self"));
  EXPECT_TRUE(parse_selection("btl", "^tcp,self")->allows("shm"));
}

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "tcp"), 3u);
  EXPECT_EQ(edit_distance("tcp", ""), 3u);
  EXPECT_EQ(edit_distance("tcp", "tcp"), 0u);
  EXPECT_EQ(edit_distance("tpc", "tcp"), 1u);
  EXPECT_EQ(edit_distance("selff", "self"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);
}

TEST(Nearest, FindsWhatWasMeant) {
  const Names names = {"self", "shm", "tcp"};
  EXPECT_EQ(nearest("selff", names), "self");
  EXPECT_EQ(nearest("tpc", names), "tcp");
  EXPECT_EQ(nearest("TCP", names), "");
  EXPECT_EQ(nearest("infiniband", names), "");
  EXPECT_EQ(nearest("", {}), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), names), "");
  EXPECT_EQ(nearest("btl_tcp_if_inclde", {"btl_tcp_if_exclude", "btl_tcp_if_include"}), "btl_tcp_if_include");
  EXPECT_EQ(did_you_mean("selff", names), "; did you mean \"self\"?");
  EXPECT_EQ(did_you_mean("x", names), "");
}

}  // namespace
}  // namespace hawser::mca
