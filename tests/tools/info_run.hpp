// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/scratch.hpp"

namespace hawser::tools {

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

/// All bytes of the file at `path`; nothing if it cannot be read.
std::string content(const std::string& path);

/// Runs `hawser ARGUMENTS` in a process whose sources are all in one scratch folder.
class InfoTest : public testing::Test {
 protected:
  InfoTest();
  Ran hawser(const std::vector<std::string>& arguments);
  Ran info(std::vector<std::string> arguments);
  /// `hawser info --json ARGUMENTS`; the status goes to `status_`.
  nlohmann::json json(std::vector<std::string> arguments);

  static nlohmann::json named(const nlohmann::json& list, const std::string& name);

  int status_ = -1;
  test::Scratch scratch_;
  test::Environment environment_;
};

}  // namespace hawser::tools
