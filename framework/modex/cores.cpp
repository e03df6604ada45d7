// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/modex/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace hawser::modex {
namespace {

/// Whole cores of a quota and a period in microseconds, at least one; 0: no limit.
std::uint32_t whole_cores(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<std::uint32_t>(std::max(1LL, quota / period));
}

std::uint32_t read_v2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  long long period = 0;
  if (!(file >> quota >> period) || quota == "max") return 0;
  return whole_cores(std::strtoll(quota.c_str(), nullptr, 10), period);
}

std::uint32_t read_v1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us");
  std::ifstream period_file(folder + "/cpu.cfs_period_us");
  long long quota = -1;
  long long period = 0;
  if (!(quota_file >> quota) || !(period_file >> period)) return 0;
  return whole_cores(quota, period);
}

/// The tightest limit of a group and its parents: in a container the path may be that of the host, then only
/// its upper part exists.
template <class Read>
std::uint32_t tightest(const std::string& mount, std::string path, Read read) {
  std::uint32_t least = 0;
  for (;;) {
    const std::uint32_t here = read(mount + path);
    if (here != 0) least = least == 0 ? here : std::min(least, here);
    const auto slash = path.find_last_of('/');
    if (path.empty() || slash == std::string::npos) return least;
    path.resize(slash);
  }
}

}  // namespace

std::uint32_t quota_cores(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  std::uint32_t least = 0;
  const auto take = [&](std::uint32_t cores) {
    if (cores != 0) least = least == 0 ? cores : std::min(least, cores);
  };
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") take(tightest(root + "/sys/fs/cgroup", path, read_v2));
    if (controllers.find(",cpu,") != std::string::npos)
      take(tightest(root + "/sys/fs/cgroup/cpu", path, read_v1));
  }
  return least;
}

std::uint32_t count_cores(const std::string& root) {
  std::uint32_t cores = 1;
  cpu_set_t* set = nullptr;
  for (int room = 1024; room <= 1 << 16; room *= 4) {  // the kernel may know more CPUs than a cpu_set_t
    set = CPU_ALLOC(room);
    const std::size_t size = CPU_ALLOC_SIZE(room);
    const bool fits = set != nullptr && sched_getaffinity(0, size, set) == 0;
    if (fits) cores = static_cast<std::uint32_t>(std::max(1, CPU_COUNT_S(size, set)));
    CPU_FREE(set);
    if (fits) break;
  }
  const std::uint32_t quota = quota_cores(root);
  return quota == 0 ? cores : std::min(cores, quota);
}

}  // namespace hawser::modex
