// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "framework/loader/loader.hpp"
#include "tests/unit/scratch.hpp"

namespace hawser::loader {

/// A folder of chosen test plug-ins, and a process that sees no other but the installed ones.
class LoaderTest : public testing::Test {
 protected:
  LoaderTest() {
    environment_.set("HOME", scratch_.path("user"));
    std::filesystem::create_directories(folder_);
  }

  static std::string file_name(const std::string& name) { return "hawser_btl_" + name + ".so"; }
  static std::string built(const std::string& name) { return PLUGIN_FOLDER "/" + file_name(name); }

  std::string add(const std::string& name) { return add_to(folder_, name, name); }
  std::string add_to(const std::string& folder, const std::string& name, const std::string& as) {
    std::filesystem::create_directories(folder);
    std::string to = folder + "/" + file_name(as);
    std::filesystem::copy_file(built(name), to);
    return to;
  }
  Result<void> discover() { return loader_.discover(registry_, folder_); }
  /// The plug-in at `path`; an empty one if it was not looked at.
  PluginView at(const std::string& path) const {
    for (auto& plugin : loader_.plugins()) {
      if (plugin.path == path) return plugin;
    }
    return {};
  }

  test::Scratch scratch_;
  test::Environment environment_;
  std::string folder_ = std::filesystem::canonical(scratch_.path("")).string() + "/first";
  mca::Registry registry_;
  Loader loader_;
};

}  // namespace hawser::loader
