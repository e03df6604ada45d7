// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/runtime.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hawser {
namespace {

/// A parameter in the environment for the length of a scope.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(std::string("HAWSER_MCA_") + name) {
    ::setenv(name_.c_str(), value, 1);
  }
  ~Setting() { ::unsetenv(name_.c_str()); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  std::string name_;
};

std::unique_ptr<Runtime> made() {
  auto runtime = Runtime::make();
  if (!runtime) ADD_FAILURE() << runtime.error().text;
  return runtime ? std::move(*runtime) : nullptr;
}

TEST(Runtime, AWorldOfOneStartsAndStops) {
  Setting btl("btl", "self");
  auto runtime = made();
  ASSERT_NE(runtime, nullptr);
  auto started = runtime->start();
  ASSERT_TRUE(started) << started.error().text;
  EXPECT_EQ(runtime->job().size, 1u);
  EXPECT_EQ(runtime->loader().components().size(), 1u);
  const std::string stats = runtime->stats_text();
  EXPECT_EQ(stats.rfind("hawser stats: rank 0 btl self module self messages_sent 0 ", 0), 0u) << stats;
  EXPECT_EQ(stats.back(), '\n');
  runtime->stop();
  runtime->stop();
}

TEST(Runtime, KnowsItsOwnProcessAndNamesARankThatDoesNotExist) {
  Setting btl("btl", "self");
  auto runtime = made();
  ASSERT_NE(runtime, nullptr);
  ASSERT_TRUE(runtime->start());
  auto self = runtime->find_proc(0);
  ASSERT_TRUE(self);
  EXPECT_EQ((*self)->rank, 0u);
  EXPECT_EQ(*runtime->find_proc(0), *self);
  char why[24] = {};
  EXPECT_EQ(runtime->proc(9, why, sizeof why), nullptr);
  EXPECT_EQ(std::string(why), "rank 9 is not in the jo");
  runtime->stop();
}

TEST(Runtime, ABadValueIsToldByStart) {
  Setting bad("btl_base_verbose", "loud");
  auto runtime = made();
  ASSERT_NE(runtime, nullptr);
  auto started = runtime->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::kInvalid);
  EXPECT_NE(started.error().text.find("btl_base_verbose"), std::string::npos) << started.error().text;
  EXPECT_NE(started.error().text.find("loud"), std::string::npos);
}

TEST(Runtime, AnUnknownNameIsAWarningAnErrorOrNothingAsTheUserLikes) {
  Setting btl("btl", "self");
  Setting misspelt("btl_base_verbos", "1");
  auto start = [](const char* how, std::string& printed) {
    Setting unknown("mca_base_unknown", how);
    testing::internal::CaptureStderr();
    auto runtime = made();
    auto started = runtime->start();
    runtime->stop();
    printed = testing::internal::GetCapturedStderr();
    return started;
  };
  std::string printed;
  EXPECT_TRUE(start("ignore", printed));
  EXPECT_EQ(printed, "");
  EXPECT_TRUE(start("warn", printed));
  EXPECT_NE(printed.find("btl_base_verbos"), std::string::npos) << printed;
  EXPECT_NE(printed.find("btl_base_verbose"), std::string::npos) << printed;
  auto refused = start("error", printed);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("btl_base_verbose"), std::string::npos) << refused.error().text;
}

TEST(Runtime, AComponentThatDoesNotExistIsAnErrorThatNamesIt) {
  Setting btl("btl", "self,nosuch");
  auto runtime = made();
  ASSERT_NE(runtime, nullptr);
  auto started = runtime->start();
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().text.find("nosuch"), std::string::npos) << started.error().text;
  runtime->stop();
}

TEST(Runtime, TimesOfWaitingFollowTheParameters) {
  Setting btl("btl", "self");
  Setting spin("hawser_spin_time", "7us");
  auto runtime = made();
  ASSERT_NE(runtime, nullptr);
  ASSERT_TRUE(runtime->start());
  EXPECT_EQ(runtime->engine().wait_params().spin_ns, 7000u);
  runtime->stop();
}

}  // namespace
}  // namespace hawser
