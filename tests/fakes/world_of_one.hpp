// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bml/bml.hpp"
#include "framework/runtime/runtime.hpp"
#include "pml/pml.hpp"

namespace hawser::fakes {

/// A started runtime of one rank over the component self, with a BML and a PML on it, and parameters as given
/// for its length.
class WorldOfOne {
 public:
  using Setting = std::pair<const char*, const char*>;

  explicit WorldOfOne(std::initializer_list<Setting> settings = {}) {
    set("btl", "self");
    for (const auto& [name, value] : settings) set(name, value);
    runtime = must(Runtime::make());
    bml = must(bml::Bml::make(*runtime));
    pml = must(pml::Pml::make(*runtime, *bml));
    auto started = runtime->start();
    EXPECT_TRUE(started) << started.error().text;
    bml->start();
  }
  ~WorldOfOne() {
    runtime->stop();
    pml.reset();
    bml.reset();
    for (const std::string& name : names_) ::unsetenv(name.c_str());
  }
  WorldOfOne(const WorldOfOne&) = delete;
  WorldOfOne& operator=(const WorldOfOne&) = delete;

  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<bml::Bml> bml;
  std::unique_ptr<pml::Pml> pml;

 private:
  void set(const char* name, const char* value) {
    names_.push_back(std::string("HAWSER_MCA_") + name);
    ::setenv(names_.back().c_str(), value, 1);
  }
  template <class T>
  static T must(Result<T> made) {
    if (made) return std::move(*made);
    ADD_FAILURE() << made.error().text;
    std::abort();
  }
  std::vector<std::string> names_;
};

}  // namespace hawser::fakes
