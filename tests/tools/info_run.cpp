// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/info_run.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace hawser::tools {

namespace {

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

InfoTest::InfoTest() {
  environment_.set("HOME", scratch_.path("home"));
  environment_.set("HAWSER_SYSTEM_PARAMS", scratch_.path("system.conf"));
  environment_.set("HAWSER_OVERRIDE_PARAMS", scratch_.path("override.conf"));
  for (const char* name : {"HAWSER_LAUNCH_TUNE", "HAWSER_LAUNCH_MCA", "HAWSER_MCA_btl"})
    environment_.unset(name);
}

Ran InfoTest::hawser(const std::vector<std::string>& arguments) {
  std::string command = quoted(HAWSER_PROGRAM);
  for (const auto& argument : arguments) command += " " + quoted(argument);
  command += " >" + quoted(scratch_.path("out")) + " 2>" + quoted(scratch_.path("err")) + " </dev/null";
  int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(scratch_.path("out")),
          content(scratch_.path("err"))};
}

Ran InfoTest::info(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "info");
  return hawser(arguments);
}

nlohmann::json InfoTest::json(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "--json");
  Ran ran = info(arguments);
  status_ = ran.status;
  nlohmann::json parsed = nlohmann::json::parse(ran.out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << ran.out << ran.err;
  return parsed;
}

nlohmann::json InfoTest::named(const nlohmann::json& list, const std::string& name) {
  for (const auto& one : list) {
    if (one.at("name") == name) return one;
  }
  return nullptr;
}

}  // namespace hawser::tools
