// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Declaring, resolving and judging parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/mca/registry.hpp"

namespace hawser::mca {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct TcpParams {
  std::int64_t links = -1;
  std::uint64_t eager = 0;
  const char* include = nullptr;
  const char* exclude = nullptr;
  const char* mode = nullptr;
  std::vector<ParamRow> rows() {
    return {param_int("links", &links, "1", {1, 64}, 4, "connections"),
            param_size("eager_limit", &eager, "64k", {64, 16 << 20}, 4, "largest eager message"),
            param_string("if_include", &include, "", 1, "interfaces to use"),
            param_string("if_exclude", &exclude, "lo", 1, "interfaces not to use"),
            param_choice("mode", &mode, "fast", "fast|safe", 5, "a mode")};
  }
};

class RegistryTest : public testing::Test {
 protected:
  Result<void> declare() { return registry_.declare("btl", "tcp", rows_.data(), rows_.size()); }
  Result<void> apply(std::vector<Setting> settings) { return registry_.apply(settings); }

  TcpParams tcp_;
  std::vector<ParamRow> rows_ = tcp_.rows();
  Registry registry_;
};

Setting in_file(const char* name, const char* value, int line = 1, const char* file = "/etc/x.conf") {
  return {name, value, Source::kSystemFile, std::string(file) + ":" + std::to_string(line)};
}
Setting on_line(const char* name, const char* value) {
  return {name, value, Source::kCommandLine, "command line"};
}

TEST_F(RegistryTest, DefaultsAreInEffectAtOnce) {
  ASSERT_TRUE(declare());
  EXPECT_EQ(tcp_.links, 1);
  EXPECT_EQ(tcp_.eager, 65536u);
  EXPECT_STREQ(tcp_.include, "");
  EXPECT_STREQ(tcp_.exclude, "lo");
  EXPECT_STREQ(tcp_.mode, "fast");
  const ParamView* view = registry_.find("btl_tcp_links");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->where, "default");
  EXPECT_EQ(view->framework + "/" + view->component, "btl/tcp");
  EXPECT_FALSE(registry_.find("links"));
}

TEST_F(RegistryTest, ValuesMayComeBeforeOrAfterTheDeclaration) {
  ASSERT_TRUE(apply({in_file("btl_tcp_links", "2", 7)}));
  ASSERT_TRUE(declare());
  EXPECT_EQ(tcp_.links, 2);
  EXPECT_EQ(registry_.find("btl_tcp_links")->where, "/etc/x.conf:7");
  ASSERT_TRUE(apply({on_line("btl_tcp_links", " 3 ")}));
  EXPECT_EQ(tcp_.links, 3);
  EXPECT_EQ(registry_.find("btl_tcp_links")->value, "3");
}

TEST_F(RegistryTest, TextsStayWhereTheyAre) {
  ASSERT_TRUE(declare());
  ASSERT_TRUE(apply({on_line("btl_tcp_if_include", "eth0")}));
  const char* before = tcp_.include;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(apply({on_line("btl_tcp_mode", "safe")}));
  EXPECT_STREQ(before, "eth0");
}

TEST_F(RegistryTest, BadValueNamesAllThatHelps) {
  ASSERT_TRUE(declare());
  auto ok = apply({in_file("btl_tcp_links", "65", 12)});
  ASSERT_FALSE(ok);
  EXPECT_EQ(ok.error().code, Errc::kInvalid);
  EXPECT_EQ(ok.error().text,
            "parameter btl_tcp_links (/etc/x.conf:12): \"65\" is too large; allowed: 1 to 64");
  EXPECT_EQ(tcp_.links, 1) << "a refused value must not be used";
  auto choice = apply({on_line("btl_tcp_links", "2"), on_line("btl_tcp_mode", "fats")});
  EXPECT_THAT(choice.error().text, HasSubstr("allowed: fast, safe; did you mean \"fast\"?"));
}

TEST_F(RegistryTest, EveryOtherValueIsTakenAllTheSame) {
  ASSERT_TRUE(apply({in_file("btl_tcp_links", "none"), in_file("btl_tcp_eager_limit", "1k", 2)}));
  ASSERT_FALSE(declare());
  EXPECT_EQ(tcp_.links, 1);
  EXPECT_EQ(tcp_.eager, 1024u);
}

TEST_F(RegistryTest, OneBadComponentDoesNotTaintTheNext) {
  ASSERT_TRUE(apply({in_file("btl_tcp_links", "none")}));
  ASSERT_FALSE(declare());
  bool on = false;
  ParamRow row = param_bool("on", &on, "true", 1, "a switch");
  EXPECT_TRUE(registry_.declare("btl", "shm", &row, 1));
  EXPECT_TRUE(on);
}

TEST_F(RegistryTest, SameNameTwiceInOnePlace) {
  EXPECT_TRUE(apply({in_file("a", "1", 1), in_file("a", "1", 2)}));
  auto ok = apply({in_file("b", "1", 1), in_file("b", "2", 9)});
  ASSERT_FALSE(ok);
  EXPECT_EQ(
      ok.error().text,
      "parameter b is given twice with different values: \"1\" (/etc/x.conf:1) and \"2\" (/etc/x.conf:9)");
  EXPECT_FALSE(apply({on_line("c", "1"), on_line("c", "2")}));
  // Different places have an order, so they may differ.
  EXPECT_TRUE(apply({in_file("d", "1"), in_file("d", "2", 1, "/other.conf"), on_line("d", "3")}));
}

TEST_F(RegistryTest, ThreeDifferentValuesInOnePlaceAreStillTwice) {
  EXPECT_FALSE(apply({in_file("a", "1", 1), on_line("a", "5"), in_file("a", "1", 2), in_file("a", "2", 3)}));
}

TEST_F(RegistryTest, LaterBatchOfOneSourceIsStronger) {
  ASSERT_TRUE(declare());
  ASSERT_TRUE(apply({{"btl_tcp_links", "2", Source::kTuneFile, "/a:1"}}));
  ASSERT_TRUE(apply({{"btl_tcp_links", "3", Source::kTuneFile, "/b:1"}}));
  EXPECT_EQ(tcp_.links, 3);
}

// Open MPI issues 12467 and 13155: the conflict was reported when there was none, and without the sources.
TEST_F(RegistryTest, IncludeAndExcludeTogether) {
  ASSERT_TRUE(declare());
  auto ok = apply({in_file("btl_tcp_if_include", "eth0", 3), on_line("btl_tcp_if_exclude", "docker0")});
  ASSERT_FALSE(ok);
  EXPECT_EQ(ok.error().text,
            "btl_tcp_if_include = eth0 (/etc/x.conf:3) and btl_tcp_if_exclude = docker0 (command line) "
            "exclude each "
            "other; take one away, or set it to an empty value");
  // A stronger source can take the other one back.
  EXPECT_TRUE(apply({{"btl_tcp_if_include", "", Source::kOverrideFile, "/override:1"}}));
}

TEST_F(RegistryTest, OneOfThePairAloneIsNoConflictFromAnySource) {
  for (Source source : {Source::kSystemFile, Source::kUserFile, Source::kTuneFile, Source::kOmpiEnvironment,
                        Source::kEnvironment, Source::kCommandLine, Source::kOverrideFile}) {
    for (const char* name : {"btl_tcp_if_include", "btl_tcp_if_exclude"}) {
      TcpParams params;
      auto rows = params.rows();
      Registry registry;
      ASSERT_TRUE(registry.declare("btl", "tcp", rows.data(), rows.size()));
      auto ok = registry.apply({{name, "eth1", source, "somewhere"}});
      EXPECT_TRUE(ok) << to_text(source) << " " << name << ": " << ok.error().text;
    }
  }
}

TEST_F(RegistryTest, DefaultOfThePairSpelledOutIsNoConflict) {
  ASSERT_TRUE(declare());
  EXPECT_TRUE(apply({on_line("btl_tcp_if_include", "eth0"), on_line("btl_tcp_if_exclude", "lo")}));
}

TEST_F(RegistryTest, DeclaredPair) {
  ASSERT_TRUE(declare());
  ASSERT_TRUE(apply({on_line("btl_tcp_links", "2"), on_line("btl_tcp_mode", "safe")}));
  EXPECT_EQ(registry_.exclude_each_other("btl_tcp_links", "nonsense").error().code, Errc::kUnsupported);
  auto ok = registry_.exclude_each_other("btl_tcp_links", "btl_tcp_mode");
  ASSERT_FALSE(ok);
  EXPECT_THAT(ok.error().text,
              HasSubstr("btl_tcp_links = 2 (command line) and btl_tcp_mode = safe (command line)"));
}

TEST_F(RegistryTest, SetByHandTouchesNoOther) {
  ASSERT_TRUE(declare());
  ASSERT_TRUE(apply({on_line("btl_tcp_links", "2"), on_line("btl_tcp_mode", "safe")}));
  const char* mode = tcp_.mode;
  ASSERT_TRUE(registry_.set({"btl_tcp_links", " 7", Source::kTool, "here"}));
  EXPECT_EQ(tcp_.links, 7);
  EXPECT_EQ(registry_.find("btl_tcp_links")->value, "7");
  EXPECT_EQ(registry_.find("btl_tcp_links")->where, "here");
  EXPECT_EQ(tcp_.mode, mode) << "its storage was written";
}

TEST_F(RegistryTest, SetByHandThatIsRefusedChangesNothing) {
  ASSERT_TRUE(declare());
  ASSERT_TRUE(apply(
      {on_line("btl_tcp_if_include", "eth0"), {"btl_tcp_links", "4", Source::kOverrideFile, "/override:1"}}));
  const auto set = [&](const char* name, const char* value) {
    const auto done = registry_.set({name, value, Source::kTool, "here"});
    return done ? Errc::kOk : done.error().code;
  };
  EXPECT_EQ(set("btl_tcp_link", "7"), Errc::kNotFound);
  EXPECT_EQ(set("btl_tcp_eager_limit", "1"), Errc::kInvalid);
  EXPECT_EQ(set("btl_tcp_links", "7"), Errc::kPermission);
  EXPECT_EQ(set("btl_tcp_if_exclude", "eth1"), Errc::kInvalid);
  EXPECT_EQ(tcp_.eager, 65536u);
  EXPECT_EQ(tcp_.links, 4);
  EXPECT_STREQ(tcp_.exclude, "lo");
  EXPECT_EQ(registry_.find("btl_tcp_if_exclude")->where, "default");
  EXPECT_EQ(set("btl_tcp_if_exclude", ""), Errc::kOk);
  EXPECT_EQ(set("btl_tcp_if_include", "eth5"), Errc::kOk);
  EXPECT_STREQ(tcp_.include, "eth5");
}

TEST_F(RegistryTest, SetByHandAgainAndAgainKeepsOnlyTheLast) {
  ASSERT_TRUE(declare());
  const auto set = [&](const char* name, const char* value) {
    return static_cast<bool>(registry_.set({name, value, Source::kTool, "here"}));
  };
  EXPECT_TRUE(set("btl_tcp_if_include", "eth0"));
  const char* first = tcp_.include;
  EXPECT_TRUE(set("btl_tcp_if_include", ""));
  EXPECT_TRUE(set("btl_tcp_if_exclude", "eth1"));
  EXPECT_FALSE(set("btl_tcp_if_include", "eth2"));
  EXPECT_STREQ(tcp_.include, "") << "the one before the refused one";
  EXPECT_TRUE(set("btl_tcp_if_exclude", ""));
  EXPECT_TRUE(set("btl_tcp_if_include", "eth0"));
  EXPECT_EQ(tcp_.include, first) << "a text is kept once";
}

TEST_F(RegistryTest, UnknownNamesFromEverySource) {
  ASSERT_TRUE(declare());
  for (Source source : {Source::kSystemFile, Source::kUserFile, Source::kTuneFile, Source::kEnvironment,
                        Source::kCommandLine, Source::kOverrideFile}) {
    Registry registry;
    TcpParams params;
    auto rows = params.rows();
    ASSERT_TRUE(registry.declare("btl", "tcp", rows.data(), rows.size()));
    ASSERT_TRUE(registry.apply({{"btl_tcp_if_inclde", "eth0", source, "there"}}));
    EXPECT_THAT(
        registry.unknown_settings({}),
        ElementsAre("unknown parameter \"btl_tcp_if_inclde\" (there); did you mean \"btl_tcp_if_include\"?"))
        << to_text(source);
  }
}

TEST_F(RegistryTest, NamesThatAreNotJudged) {
  ASSERT_TRUE(declare());
  ASSERT_TRUE(apply(
      {{"coll_tuned_priority", "1", Source::kOmpiEnvironment, "environment OMPI_MCA_coll_tuned_priority"},
       on_line("btl_ofi_mode", "2"),
       on_line("btl_tcp_links", "2")}));
  EXPECT_THAT(registry_.unknown_settings({"btl_ofi_"}), IsEmpty());
  EXPECT_THAT(registry_.unknown_settings({}), ElementsAre(HasSubstr("btl_ofi_mode")));
}

TEST_F(RegistryTest, BadDeclarationsAreTheDeclarersFault) {
  ASSERT_TRUE(declare());
  EXPECT_EQ(declare().error().code, Errc::kUnsupported) << "a name twice";
  std::int64_t number = 0;
  auto refused = [&](ParamRow row) {
    auto ok = registry_.declare("btl", "bad", &row, 1);
    return !ok && ok.error().code == Errc::kUnsupported && !registry_.find("btl_bad_x");
  };
  const ParamRow good = param_int("x", &number, "1", {1, 5}, 1, "help");
  auto with = [&](auto change) {
    ParamRow row = good;
    change(row);
    return refused(row);
  };
  EXPECT_TRUE(with([](ParamRow& row) { row.name = "Up"; }));
  EXPECT_TRUE(with([](ParamRow& row) { row.name = nullptr; }));
  EXPECT_TRUE(with([](ParamRow& row) { row.help = ""; }));
  EXPECT_TRUE(with([](ParamRow& row) { row.help = nullptr; }));
  EXPECT_TRUE(with([](ParamRow& row) { row.storage = nullptr; }));
  EXPECT_TRUE(with([](ParamRow& row) { row.level = 10; }));
  EXPECT_TRUE(with([](ParamRow& row) { row.default_text = "6"; }));
  EXPECT_TRUE(with([](ParamRow& row) { row.default_text = nullptr; }));
  EXPECT_TRUE(with([](ParamRow& row) { row.min = 9; }));
  EXPECT_TRUE(with([](ParamRow& row) { row.type = static_cast<ParamType>(77); }));
  EXPECT_TRUE(registry_.declare("btl", "bad", &good, 1));
}

}  // namespace
}  // namespace hawser::mca
