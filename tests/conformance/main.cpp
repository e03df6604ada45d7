// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string_view>

#include "tests/conformance/rank.hpp"

// hawser_conformance --component NAME [--path FOLDER] [--loopback] [--param NAME=VALUE] [gtest's own]

namespace {

using hawser::conformance::subject;

bool read_arguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (word == "--loopback") {
      subject().loopback = true;
    } else if (word == "--component" && value) {
      subject().component = argv[++i];
    } else if (word == "--path" && value) {
      subject().path = argv[++i];
    } else if (word == "--param" && value && std::string_view(value).find('=') != std::string_view::npos) {
      const std::string text = argv[++i];
      const std::size_t at = text.find('=');
      subject().settings.push_back(
          {text.substr(0, at), text.substr(at + 1), hawser::mca::Source::kCommandLine, "command line"});
    } else {
      std::fprintf(stderr, "what is \"%s\"? Known: --component, --path, --loopback, --param NAME=VALUE\n",
                   argv[i]);
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!read_arguments(argc, argv)) return 2;
  if (subject().component.empty() && !testing::GTEST_FLAG(list_tests)) {
    std::fprintf(stderr, "say which component: --component NAME\n");
    return 2;
  }
  return RUN_ALL_TESTS();
}
