// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "framework/interfaces/enumerate.hpp"
#include "framework/interfaces/filter.hpp"
#include "tests/unit/interfaces_namespace.hpp"

namespace hawser::interfaces {
namespace {

std::string text(const std::vector<Interface>& all) {
  std::string result;
  for (const Interface& i : all) {
    if (i.address.scope() == Scope::kLink || i.has(kLoopback)) continue;
    result += fmt::format("{}#{} {}/{} ", i.label, i.index, i.address.text(), i.prefix);
  }
  return result;
}

TEST(KernelAddresses, SeveralOnOneInterfaceOfAnyIndex) {
  std::string found;
  std::string by_name;
  std::string by_network;
  std::string by_address;
  const std::string why = testing::in_new_namespace([&](const auto& run) {
    ASSERT_TRUE(run("ip link add e0 index 2000000001 type veth peer name e10 index 65537"));
    ASSERT_TRUE(run("ip link set e0 up && ip link set e10 up"));
    ASSERT_TRUE(run("ip addr add 10.9.0.1/24 dev e0 && ip addr add 10.9.0.11/24 dev e0 label e0:1"));
    ASSERT_TRUE(run("ip addr add 10.20.0.1/16 dev e0 && ip addr add 10.20.0.2/16 dev e10"));
    const auto all = enumerate();
    ASSERT_TRUE(all);
    found = text(*all);
    by_name = text(select(*all, {"e0", "", 0})->interfaces);
    by_network = text(select(*all, {"10.20.0.0/16", "", 0})->interfaces);
    by_address = text(select(*all, {"10.9.0.11/32", "", 0})->interfaces);
  });
  if (!why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(found,
            "e0#2000000001 10.9.0.1/24 e0:1#2000000001 10.9.0.11/24 e0#2000000001 10.20.0.1/16 "
            "e10#65537 10.20.0.2/16 ");
  EXPECT_EQ(by_name, "e0#2000000001 10.9.0.1/24 e0:1#2000000001 10.9.0.11/24 e0#2000000001 10.20.0.1/16 ");
  EXPECT_EQ(by_network, "e0#2000000001 10.20.0.1/16 e10#65537 10.20.0.2/16 ");
  EXPECT_EQ(by_address, "e0:1#2000000001 10.9.0.11/24 ");
}

TEST(KernelAddresses, PropertiesComeFromTheKernelWhereSysfsShowsAnotherNamespace) {
  std::vector<Interface> all;
  const std::string why = testing::in_new_namespace([&](const auto& run) {
    // A cable whose other end is down has no carrier; one that is down itself is no candidate.
    ASSERT_TRUE(run("ip link add e0 type veth peer name p0 && ip link set e0 up"));
    ASSERT_TRUE(run("ip link add e1 type veth peer name p1 && ip link set p1 up"));
    ASSERT_TRUE(run("ip addr add 10.9.0.1/24 dev e0 && ip addr add 10.9.1.1/24 dev e1"));
    ASSERT_TRUE(run("ip addr add 10.9.2.1/24 dev p1 && ip link set p1 arp off"));
    run("ip tuntap add t0 mode tun && ip addr add 100.64.0.1/32 peer 100.64.0.2 dev t0 && ip link set t0 up");
    const auto listed = enumerate();
    ASSERT_TRUE(listed);
    all = *listed;
  });
  if (!why.empty()) GTEST_SKIP() << why;
  const auto find = [&](const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Interface& i) { return i.name == name; });
    return found == all.end() ? Interface{} : *found;
  };
  EXPECT_TRUE(find("e0").has(kNoCarrier));
  EXPECT_EQ(find("e1").index, 0u) << "it is down";
  EXPECT_TRUE(find("p1").has(kNoNeighbours));
  if (find("t0").index == 0) GTEST_SKIP() << "no tunnels here";
  EXPECT_TRUE(find("t0").has(kPointToPoint));
  EXPECT_TRUE(find("t0").has(kNoCarrier)) << "nobody holds it open";
  EXPECT_FALSE(find("t0").has(kNoNeighbours)) << "two ends need not look for each other";
}

}  // namespace
}  // namespace hawser::interfaces
