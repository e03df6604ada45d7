// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Texts generated from the registry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "framework/mca/param_file.hpp"
#include "framework/mca/print.hpp"

namespace hawser::mca {
namespace {

using testing::HasSubstr;

class PrintTest : public testing::Test {
 protected:
  PrintTest() {
    ParamRow general = param_string("btl", &text_, "", 1, "which components");
    ParamRow rows[] = {
        param_size("eager_limit", &size_, "64k", {64, 16 << 20}, 4, "largest message that is sent at once"),
        param_choice("mode", &mode_, "fast", "fast|safe", 5, "a mode; one | two")};
    EXPECT_TRUE(registry_.declare("btl", "tcp", rows, 2));
    EXPECT_TRUE(registry_.declare("", "", &general, 1));
  }
  const char* text_ = nullptr;
  const char* mode_ = nullptr;
  std::uint64_t size_ = 0;
  Registry registry_;
};

TEST_F(PrintTest, ConfShowsDefaultsWhateverIsInEffect) {
  std::string before = conf_text(registry_);
  ASSERT_TRUE(registry_.apply({{"btl_tcp_eager_limit", "1k", Source::kCommandLine, "command line"}}));
  EXPECT_EQ(conf_text(registry_), before);
  EXPECT_THAT(before, HasSubstr("# ---- general ----\n\n# which components\n# string; level 1\n#btl =\n"));
  EXPECT_THAT(before, HasSubstr("# largest message that is sent at once\n# size, 64 to 16m bytes; level 4\n"
                                "#btl_tcp_eager_limit = 64k\n"));
}

TEST_F(PrintTest, ConfCanBeReadBack) {
  std::string text = conf_text(registry_);
  EXPECT_TRUE(parse_param_text(text, "F", Source::kUserFile)->empty()) << "all of it is comments";
  std::string uncommented;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool name =
        text[i] == '#' && (i == 0 || text[i - 1] == '\n') && i + 1 < text.size() && text[i + 1] == 'b';
    if (!name) uncommented += text[i];
  }
  auto settings = parse_param_text(uncommented, "F", Source::kUserFile);
  ASSERT_TRUE(settings) << settings.error().text;
  EXPECT_EQ(settings->size(), 3u);
  EXPECT_TRUE(registry_.apply(*settings));
}

TEST_F(PrintTest, MarkdownHasARowForEach) {
  std::string text = markdown_text(registry_);
  EXPECT_THAT(text, HasSubstr("## btl tcp\n"));
  EXPECT_THAT(text,
              HasSubstr("| `btl_tcp_eager_limit` | size, 64 to 16m bytes | `64k` | 4 | largest message"));
  EXPECT_THAT(text, HasSubstr("| `btl` | string | (empty) | 1 | which components |"));
  EXPECT_THAT(text, HasSubstr("one \\| two"));
}

TEST(Wrapped, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("a bb ccc", "  ", 6), "  a bb\n  ccc\n");
  EXPECT_EQ(wrapped("aVeryLongWord b", "", 4), "aVeryLongWord\nb\n");
  EXPECT_EQ(wrapped("", "# ", 10), "# \n");
}

}  // namespace
}  // namespace hawser::mca
