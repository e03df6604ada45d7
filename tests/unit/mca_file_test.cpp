// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The syntax of parameter files.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>
#include <string>
#include <vector>

#include "framework/mca/param_file.hpp"
#include "tests/unit/scratch.hpp"

namespace hawser::mca {
namespace {

TEST(ParamFile, ReadsLines) {
  auto settings = parse_param_text(
      "# a comment\n"
      "\n"
      "  btl = self,tcp  \t\r\n"
      "a=1\n"
      "\t# indented comment\n"
      "b = \"two words \" # after a quote\n"
      "c = 'it # is'\n"
      "d = 5 # said here\n"
      "module = tcp/eth0#1\n"
      "empty =\n"
      "expression = x=y\n"
      "last = no line end",
      "FILE", Source::kUserFile);
  ASSERT_TRUE(settings) << settings.error().text;
  const std::vector<std::vector<std::string>> wanted = {{"btl", "self,tcp", "FILE:3"},
                                                        {"a", "1", "FILE:4"},
                                                        {"b", "two words ", "FILE:6"},
                                                        {"c", "it # is", "FILE:7"},
                                                        {"d", "5", "FILE:8"},
                                                        {"module", "tcp/eth0#1", "FILE:9"},
                                                        {"empty", "", "FILE:10"},
                                                        {"expression", "x=y", "FILE:11"},
                                                        {"last", "no line end", "FILE:12"}};
  ASSERT_EQ(settings->size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Setting& setting = (*settings)[i];
    EXPECT_EQ((std::vector<std::string>{setting.name, setting.value, setting.where}), wanted[i]);
    EXPECT_EQ(setting.source, Source::kUserFile);
  }
}

TEST(ParamFile, NamesFileAndLineOfWhatItCannotRead) {
  const std::vector<std::vector<std::string>> table = {
      {"x = 1\nnonsense\n", "FILE:2: \"nonsense\" has no \"=\""},
      {"= 1", "FILE:1: \"= 1\" has no name"},
      {"a b = 1", "a character that no parameter has"},
      {"x = \"open", "a quote that does not end"},
      {"x = \"a\" b", "text after it"},
      {"x = '", "a quote that does not end"},
      {std::string("x = 1\0", 6), "zero byte"}};
  for (const auto& one : table) {
    auto settings = parse_param_text(one[0], "FILE", Source::kUserFile);
    ASSERT_FALSE(settings) << one[0];
    EXPECT_NE(settings.error().text.find(one[1]), std::string::npos) << settings.error().text;
  }
}

TEST(ParamFile, TellsAbsentFromUnreadable) {
  test::Scratch scratch;
  EXPECT_EQ(read_param_file(scratch.path("absent"), Source::kUserFile).error().code, Errc::kNotFound);
  auto folder = read_param_file(scratch.path(""), Source::kUserFile);
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().text.find("is a folder"), std::string::npos);
  // A pipe that nobody writes to must not hold us up.
  ASSERT_EQ(::mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(read_param_file(scratch.path("pipe"), Source::kUserFile));
  scratch.write("huge", std::string((1u << 20) + 1, '#'));
  EXPECT_EQ(read_param_file(scratch.path("huge"), Source::kUserFile).error().code, Errc::kTruncated);
}

// Whatever the bytes are: settings, or an error with file and line.
TEST(ParamFile, RandomText) {
  std::mt19937 random(7);
  const std::string letters = "ab_=#\"' \t\r\n.-\\0\x7f\xff";
  int errors = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 40, ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    auto settings = parse_param_text(text, "F", Source::kUserFile);
    if (!settings) {
      ++errors;
      EXPECT_EQ(settings.error().text.rfind("F:", 0), 0u) << settings.error().text;
      continue;
    }
    for (const Setting& setting : *settings) {
      EXPECT_FALSE(setting.name.empty());
      EXPECT_EQ(setting.value.find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(errors, 0);
  EXPECT_LT(errors, 20'000);
}

}  // namespace
}  // namespace hawser::mca
