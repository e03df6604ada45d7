// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "framework/modex/cores.hpp"

namespace hawser::modex {
namespace {

namespace fs = std::filesystem;

class Cores : public testing::Test {
 protected:
  Cores() : root_(fs::temp_directory_path() / ("hawser-cores-" + std::to_string(::getpid()))) {
    fs::create_directories(root_);
  }
  ~Cores() override { fs::remove_all(root_); }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text << '\n';
  }
  std::uint32_t quota() const { return quota_cores(root_.string()); }
  fs::path root_;
};

TEST_F(Cores, NoGroupIsNoLimit) {
  EXPECT_EQ(quota(), 0U);
  EXPECT_GE(count_cores(root_.string()), 1U);
}

TEST_F(Cores, VersionTwoTakesTheTightestOfTheParents) {
  write("proc/self/cgroup", "0::/a/b");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000");
  EXPECT_EQ(quota(), 0U);
  write("sys/fs/cgroup/a/cpu.max", "350000 100000");
  EXPECT_EQ(quota(), 3U);
  write("sys/fs/cgroup/cpu.max", "50000 100000");
  EXPECT_EQ(quota(), 1U) << "at least one core";
  EXPECT_EQ(count_cores(root_.string()), 1U);
}

TEST_F(Cores, VersionOne) {
  write("proc/self/cgroup", "4:cpu,cpuacct:/job\n3:memory:/");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota(), 0U);
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "200000");
  EXPECT_EQ(quota(), 2U);
}

}  // namespace
}  // namespace hawser::modex
