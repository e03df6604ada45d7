// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <net/if.h>

#include <filesystem>
#include <fstream>

#include "framework/interfaces/enumerate.hpp"
#include "framework/interfaces/filter.hpp"

namespace hawser::interfaces {
namespace {

namespace fs = std::filesystem;

KernelAddress at(const std::string& label, std::uint32_t index, const std::string& address, unsigned prefix,
                 unsigned flags = IFF_UP | IFF_RUNNING) {
  return {label, index, flags, *IpAddress::parse(address), prefix};
}

// A made-up /sys, removed at the end.
class FakeSysfs : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hawser-sysfs-XXXXXX";
    root = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(root); }
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  }
  void folder(const std::string& path) { fs::create_directories(root / path); }

  fs::path root;
};

TEST(IpAddressTest, TextAndBack) {
  for (const char* text : {"10.9.0.1", "255.255.255.255", "fe80::1", "2001:db8::1", "::1"}) {
    const auto address = IpAddress::parse(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), text);
  }
  for (const char* text : {"", "10.9.0", "10.9.0.256", "eth0", "fe80::1%eth0", "1.2.3.4 "}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
}

TEST(IpAddressTest, Networks) {
  const auto in = [](const char* address, const char* network, unsigned prefix) {
    return IpAddress::parse(address)->in_network(*IpAddress::parse(network), prefix);
  };
  EXPECT_TRUE(in("10.9.0.1", "10.9.0.2", 24));
  EXPECT_FALSE(in("10.9.0.1", "10.9.1.1", 24));
  EXPECT_TRUE(in("10.9.1.1", "10.9.0.1", 23));
  EXPECT_FALSE(in("10.9.0.1", "10.9.0.2", 32));
  EXPECT_TRUE(in("1.2.3.4", "9.9.9.9", 0));
  EXPECT_FALSE(in("10.9.0.1", "::1", 0));
  EXPECT_TRUE(in("fd00::1", "fd12::", 8));
  EXPECT_FALSE(in("10.9.0.1", "10.9.0.1", 33));
}

TEST(IpAddressTest, Scopes) {
  const auto scope = [](const char* text) { return IpAddress::parse(text)->scope(); };
  EXPECT_EQ(scope("127.0.0.5"), Scope::kLoopback);
  EXPECT_EQ(scope("::1"), Scope::kLoopback);
  EXPECT_EQ(scope("169.254.3.3"), Scope::kLink);
  EXPECT_EQ(scope("fe80::3"), Scope::kLink);
  for (const char* text : {"10.1.1.1", "172.16.0.1", "172.31.0.1", "192.168.0.1", "100.64.0.1", "fd00::1"}) {
    EXPECT_EQ(scope(text), Scope::kPrivate) << text;
  }
  for (const char* text : {"8.8.8.8", "172.32.0.1", "100.128.0.1", "2001:db8::1"}) {
    EXPECT_EQ(scope(text), Scope::kGlobal) << text;
  }
}

TEST_F(FakeSysfs, ReadsWhatIsKnown) {
  put("class/net/eth0/speed", "25000");
  put("class/net/eth0/carrier", "1");
  put("class/net/eth0/type", "1");
  folder("class/net/docker0/bridge");
  folder("class/net/docker0/brif");
  put("class/net/docker0/carrier", "0");
  folder("class/net/br1/bridge");
  folder("class/net/br1/brif/eth9");
  put("class/net/tun0/tun_flags", "0x1001");
  put("class/net/virt0/speed", "-1");
  const auto list = describe(
      {at("eth0", 2, "10.9.0.1", 24), at("docker0", 3, "172.17.0.1", 16), at("br1", 4, "10.8.0.1", 24),
       at("tun0", 5, "100.64.0.1", 32, IFF_UP | IFF_RUNNING | IFF_POINTOPOINT | IFF_NOARP),
       at("virt0", 6, "10.7.0.1", 24), at("gone0", 7, "10.6.0.1", 24)},
      root);
  const auto find = [&](const char* name) {
    for (const Interface& interface : list) {
      if (interface.name == name) return interface;
    }
    return Interface{};
  };
  EXPECT_EQ(find("eth0").speed_mbps, 25000u);
  EXPECT_EQ(find("eth0").properties, 0u);
  EXPECT_EQ(find("docker0").properties, kBridge | kBridgeWithoutPorts | kNoCarrier);
  EXPECT_EQ(find("br1").properties, std::uint32_t{kBridge});
  EXPECT_EQ(find("tun0").properties, kTunnel | kPointToPoint);
  EXPECT_EQ(find("virt0").speed_mbps, 0u);
  EXPECT_EQ(find("gone0").properties, 0u) << "what is not known counts as neutral";
  EXPECT_EQ(find("gone0").locality, Locality::kUnknown);
}

TEST_F(FakeSysfs, LocalityComesFromTheDeviceOrBelow) {
  put("devices/pci0/numa_node", "1");
  folder("devices/pci0/virtio0/net");
  folder("class/net/eth0");
  fs::create_directory_symlink(root / "devices/pci0/virtio0", root / "class/net/eth0/device");
  put("class/net/eth0/speed", "100000");
  folder("class/net/bond0");
  fs::create_directory_symlink(root / "class/net/eth0", root / "class/net/bond0/lower_eth0");
  put("devices/system/node/node1/cpulist", "0-1023");
  const auto list = describe({at("eth0", 2, "10.9.0.1", 24), at("bond0", 3, "10.9.1.1", 24)}, root);
  EXPECT_EQ(list[0].locality, Locality::kNear);
  EXPECT_EQ(list[1].locality, Locality::kNear);
  EXPECT_EQ(list[1].speed_mbps, 100000u);
  put("devices/system/node/node1/cpulist", "1022-1023");
  EXPECT_EQ(describe({at("eth0", 2, "10.9.0.1", 24)}, root)[0].locality, Locality::kFar);
}

TEST_F(FakeSysfs, DevicesOnEachOtherInACircleEnd) {
  folder("class/net/a/lower_b");
  folder("class/net/b/lower_a");
  EXPECT_EQ(describe({at("a", 2, "10.9.0.1", 24)}, root).size(), 1u);
}

TEST(Describe, DoesNotDependOnTheKernelsOrder) {
  const std::vector<KernelAddress> one{at("b", 9, "10.0.0.2", 8), at("a", 3, "10.0.0.1", 8),
                                       at("c", 1, "fe80::1", 64)};
  const std::vector<KernelAddress> other{one[2], one[0], one[1]};
  const auto x = describe(one, "/nowhere");
  const auto y = describe(other, "/nowhere");
  ASSERT_EQ(x.size(), 3u);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i].address, y[i].address);
}

TEST(Describe, LabelsBelongToTheirDevice) {
  const auto list = describe({at("eth0:1", 2, "10.9.0.11", 24)}, "/nowhere");
  EXPECT_EQ(list[0].name, "eth0");
  EXPECT_EQ(list[0].label, "eth0:1");
}

TEST(Enumerate, FindsLoopback) {
  const auto all = enumerate();
  ASSERT_TRUE(all);
  bool found = false;
  for (const Interface& interface : *all)
    found = found || (interface.has(kLoopback) && interface.prefix == 8);
  EXPECT_TRUE(found) << list_text(*all);
}

class Filters : public ::testing::Test {
 protected:
  std::string names(const Wish& wish) {
    const auto selected = select(all, wish);
    if (!selected) return "error: " + selected.error().text;
    notes = selected->notes.size();
    std::string text;
    for (const Interface& interface : selected->interfaces) text += interface.address.text() + " ";
    return text;
  }
  std::vector<Interface> all = describe(
      {at("lo", 1, "127.0.0.1", 8, IFF_UP | IFF_LOOPBACK), at("eth1", 2, "10.9.0.1", 24),
       at("eth1:1", 2, "10.9.0.11", 24), at("eth10", 3, "10.10.0.1", 24), at("eth1", 2, "fd00::1", 64)},
      "/nowhere");
  std::size_t notes = 0;
};

TEST_F(Filters, NamesAreExact) {
  EXPECT_EQ(names({"eth1", "", 0}), "10.9.0.1 10.9.0.11 fd00::1 ");
  EXPECT_EQ(names({"eth1:1", "", 0}), "10.9.0.11 ");
  EXPECT_EQ(names({" eth10 , lo", "", 0}), "10.10.0.1 127.0.0.1 ");
}

TEST_F(Filters, NetworksSelectEveryAddressInside) {
  EXPECT_EQ(names({"10.0.0.0/8", "", 0}), "10.9.0.1 10.9.0.11 10.10.0.1 ");
  EXPECT_EQ(names({"10.9.0.11/32", "", 0}), "10.9.0.11 ");
  EXPECT_EQ(names({"10.9.0.11", "", 0}), "10.9.0.11 ");
  EXPECT_EQ(names({"fd00::/8", "", 0}), "fd00::1 ");
  EXPECT_EQ(names({"", "10.0.0.0/8,fd00::/8", 0}), "127.0.0.1 ");
}

TEST_F(Filters, FamiliesCanBeLeftOut) {
  EXPECT_EQ(names({"eth1", "", 4}), "fd00::1 ");
  EXPECT_EQ(names({"eth1", "", 6}), "10.9.0.1 10.9.0.11 ");
  EXPECT_EQ(names({"", "lo", 4}), "fd00::1 ");
  for (const int bad : {1, -4, 46}) EXPECT_EQ(names({"eth1", "", bad}).rfind("error: ", 0), 0u) << bad;
  const std::string left_out = names({"fd00::/8", "", 6});
  EXPECT_NE(left_out.find("disable_family = 6"), std::string::npos) << left_out;
}

TEST_F(Filters, ExcludingSelectsAddressesNotInterfaces) {
  EXPECT_EQ(names({"", "10.9.0.11/32,lo", 0}), "10.9.0.1 10.10.0.1 fd00::1 ");
  EXPECT_EQ(names({"", "eth1:1,lo,nope0", 0}), "10.9.0.1 10.10.0.1 fd00::1 ");
  EXPECT_EQ(names({"", "10.9.0.77/24,::/0", 0}), "10.10.0.1 127.0.0.1 ") << "host bits do not matter";
  const std::string nothing = names({"", "0.0.0.0/0,::/0", 0});
  EXPECT_EQ(nothing.rfind("error: no usable address is left", 0), 0u) << nothing;
}

TEST_F(Filters, LinkLocalAddressesAreNeedlessBesideOthersUnlessNamed) {
  std::vector<Interface> list = describe({at("a", 2, "fe80::1", 64), at("a", 2, "10.9.0.1", 24),
                                          at("b", 3, "fe80::2", 64), at("c", 4, "169.254.1.1", 16)},
                                         "/nowhere");
  EXPECT_EQ(list_text(without_needless(list)), "a (10.9.0.1/24), b (fe80::2/64), c (169.254.1.1/16)");
  const auto named = select(list, {"fe80::/10", "", 0});
  ASSERT_TRUE(named);
  EXPECT_EQ(list_text(without_needless(named->interfaces)), "a (fe80::1/64), b (fe80::2/64)");
}

TEST_F(Filters, AnEntryWithoutMatchIsANoteWhileAnotherMatches) {
  EXPECT_EQ(names({"nope0,eth10", "", 0}), "10.10.0.1 ");
  EXPECT_EQ(notes, 1u);
}

TEST_F(Filters, ErrorsSayWhatIsWrong) {
  const std::string none = names({"nope0", "", 0});
  EXPECT_NE(none.find("\"nope0\""), std::string::npos) << none;
  EXPECT_NE(none.find("eth10 (10.10.0.1/24)"), std::string::npos) << none;
  const std::string both = names({"eth1", "lo", 0});
  EXPECT_NE(both.find("both set"), std::string::npos) << both;
  for (const char* bad :
       {"10.9.0.0/33", "10.9.0.0/", "/24", "10.9.0.0/x", "eth1,,lo", "eth1,", "fd00::/129"}) {
    EXPECT_EQ(names({bad, "", 0}).rfind("error: ", 0), 0u) << bad;
  }
}

TEST_F(Filters, OnlyWhatWasAskedForIsNamed) {
  const auto included = select(all, {"eth1", "", 0});
  const auto others = select(all, {"", "lo", 0});
  ASSERT_TRUE(included && others);
  EXPECT_EQ(included->interfaces.size(), 3u);
  for (const auto& interface : included->interfaces) EXPECT_TRUE(interface.has(kNamed));
  for (const auto& interface : others->interfaces) EXPECT_FALSE(interface.has(kNamed));
}

}  // namespace
}  // namespace hawser::interfaces
