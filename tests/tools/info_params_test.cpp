// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The files in mca-params: the default one is what the program generates, and each preset can be used.
#include <filesystem>
#include <map>
#include <set>

#include "tests/tools/info_run.hpp"

namespace hawser::tools {
namespace {

using Blocks = std::map<std::string, std::string>;

/// Text between blank lines, by the parameter in the last line ("#name = default").
Blocks blocks_of(const std::string& text) {
  Blocks blocks;
  std::string block;
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = text.find('\n', start);
    if (end == std::string::npos) end = text.size();
    std::string line = text.substr(start, end - start);
    start = end + 1;
    if (line.empty()) {
      block.clear();
      continue;
    }
    block += line + "\n";
    bool param = line.size() > 1 && line[0] == '#' && line[1] != ' ' && line[1] != '#';
    if (param) blocks[line.substr(1, line.find(' ') - 1)] = block;
  }
  return blocks;
}

TEST_F(InfoTest, DefaultFileIsWhatTheProgramSays) {
  Ran ran = info({"--params-conf"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  Blocks wanted = blocks_of(ran.out);
  Blocks there = blocks_of(content(PARAMS_FOLDER "/mca-params.conf"));
  EXPECT_GT(wanted.size(), 8u);
  // A build may lack components; what it has must be told as it is.
  for (const auto& [name, block] : wanted) {
    EXPECT_EQ(there[name], block)
        << "mca-params.conf is out of date; remake it: cmake --build BUILD --target update_params";
  }
}

TEST_F(InfoTest, DefaultFileChangesNothing) {
  auto plain = json({}).at("parameters");
  EXPECT_EQ(json({"--tune", PARAMS_FOLDER "/mca-params.conf"}).at("parameters"), plain);
  EXPECT_EQ(status_, 0);
}

/// Names of components that this build does not have cannot be judged.
bool of_absent_component(const std::string& line) {
  for (const char* name : {"self", "shm", "tcp"}) {
    bool there = std::filesystem::exists(std::string(COMPONENT_FOLDER "/hawser_btl_") + name + ".so");
    if (!there && line.find(std::string("\"btl_") + name + "_") != std::string::npos) return true;
    if (!there && line.find(std::string("component \"") + name + "\" does not exist") != std::string::npos)
      return true;
  }
  return false;
}

TEST_F(InfoTest, PresetsCanBeUsed) {
  std::set<std::string> seen;
  for (const auto& entry : std::filesystem::directory_iterator(PARAMS_FOLDER)) {
    if (entry.path().extension() != ".conf") continue;
    seen.insert(entry.path().stem());
    auto report = json({"--tune", entry.path().string()});
    for (const char* kind : {"errors", "notes"}) {
      for (const std::string line : report.at(kind)) {
        if (!of_absent_component(line)) ADD_FAILURE() << entry.path() << ": " << line;
      }
    }
    bool changed = false;
    for (const auto& param : report.at("parameters")) changed |= param.at("source") == "tune file";
    EXPECT_EQ(changed, entry.path().stem() != "mca-params") << entry.path();
    bool told = content(entry.path()).find("# When to use it:") != std::string::npos;
    EXPECT_EQ(told, entry.path().stem() != "mca-params") << entry.path();
  }
  EXPECT_EQ(seen, (std::set<std::string>{"mca-params", "tcp-only", "shm-only", "multirail", "oversubscribed",
                                         "debug-wireup"}));
}

}  // namespace
}  // namespace hawser::tools
