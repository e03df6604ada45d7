// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/places.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <net/if.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "framework/interfaces/enumerate.hpp"
#include "framework/interfaces/sysfs.hpp"
#include "tests/unit/interfaces_namespace.hpp"

namespace hawser::interfaces {
namespace {

namespace fs = std::filesystem;

std::string object(const std::string& type, const std::string& attributes, const std::string& inside = "") {
  return fmt::format("<object type=\"{}\" {}>{}</object>\n", type, attributes, inside);
}

std::string sets(unsigned cores, unsigned nodes) {
  return fmt::format(
      "cpuset=\"0x{0:08x}\" complete_cpuset=\"0x{0:08x}\" nodeset=\"0x{1:08x}\" "
      "complete_nodeset=\"0x{1:08x}\"",
      cores, nodes);
}

std::string nic(int bus, const std::string& name, int id) {
  const std::string device =
      object("OSDev", fmt::format("gp_index=\"{}\" name=\"{}\" osdev_type=\"2\"", id, name));
  const std::string card =
      object("PCIDev",
             fmt::format("gp_index=\"{}\" pci_busid=\"0000:0{}:03.0\" pci_type=\"0200 [1af4:1000] "
                         "[0000:0000] ff\" pci_link_speed=\"0.0\"",
                         id + 1, bus),
             device);
  return object("Bridge",
                fmt::format("gp_index=\"{}\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[0{}-0{}]\"",
                            id + 2, bus, bus),
                card);
}

std::string package(int number, const std::string& devices) {
  const unsigned cores = 3u << (2 * number);
  const unsigned node = 1u << number;
  const int id = 10 + 10 * number;
  std::string inside =
      object("NUMANode", fmt::format("os_index=\"{}\" {} gp_index=\"{}\" local_memory=\"1024000000\"", number,
                                     sets(cores, node), id + 1));
  for (int i = 0; i < 2; ++i) {
    const int core = 2 * number + i;
    inside += object(
        "PU", fmt::format("os_index=\"{}\" {} gp_index=\"{}\"", core, sets(1u << core, node), id + 2 + i));
  }
  return object("Package", fmt::format("os_index=\"{}\" {} gp_index=\"{}\"", number, sets(cores, node), id),
                inside + devices);
}

// Two NUMA nodes of two cores; e0 on the first, e1 on the second, e9 on the machine as a whole.
std::string two_nodes() {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
         "<topology version=\"2.0\">\n" +
         object(
             "Machine",
             "os_index=\"0\" allowed_cpuset=\"0x0000000f\" allowed_nodeset=\"0x00000003\" gp_index=\"1\" " +
                 sets(0xf, 3),
             package(0, nic(0, "e0", 40)) + package(1, nic(1, "e1", 50)) + nic(2, "e9", 60)) +
         "</topology>\n";
}

// A file for HWLOC_XMLFILE while the object lives.
class TopologyFile {
 public:
  explicit TopologyFile(const std::string& text)
      : path_(fmt::format("/tmp/hawser-hwloc-{}.xml", ::getpid())) {
    std::ofstream(path_) << text;
    ::setenv("HWLOC_XMLFILE", path_.c_str(), 1);
  }
  ~TopologyFile() {
    ::unsetenv("HWLOC_XMLFILE");
    fs::remove(path_);
  }

 private:
  std::string path_;
};

const std::vector<bool> kFirstNode{true, true};
const std::vector<bool> kEverywhere{true, true, true, true};

TEST(ReadPlaces, NearAndFarFromTheUsersTopology) {
  const TopologyFile file(two_nodes());
  const auto places = read_places(kFirstNode);
  if (!places && places.error().code == Errc::kUnsupported) GTEST_SKIP() << places.error().text;
  ASSERT_TRUE(places) << places.error().text;
  EXPECT_EQ(*places, (Places{{"e0", {0, Locality::kNear}}, {"e1", {1, Locality::kFar}}}))
      << "e9 belongs to the whole machine, so nothing is known of it";
  EXPECT_EQ(read_places(kEverywhere)->at("e1").locality, Locality::kNear);
  EXPECT_EQ(read_places({})->at("e1").locality, Locality::kUnknown);
}

TEST(ReadPlaces, BrokenTopologiesFailNothing) {
  const std::string good = two_nodes();
  ::testing::internal::CaptureStderr();
  for (const std::string& text : {std::string("<not xml"), std::string(), good.substr(0, good.size() / 2),
                                  std::string("<topology version=\"9.0\"></topology>")}) {
    const TopologyFile file(text);
    const auto places = read_places(kFirstNode);  // hwloc may fall back to this machine, or fail
    if (places) {
      EXPECT_FALSE(places->count("e1"));
    }
  }
  ::setenv("HWLOC_XMLFILE", "/nowhere/at/all.xml", 1);
  const auto missing = read_places(kFirstNode);
  ::unsetenv("HWLOC_XMLFILE");
  if (missing) {
    EXPECT_FALSE(missing->count("e1"));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "a run prints nothing about it";
}

TEST(ReadPlaces, WithoutHwlocThereIsAReason) {
  const auto absent = read_places(kFirstNode, "libhwloc-that-is-not-there.so.99");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Errc::kUnsupported);
  EXPECT_NE(absent.error().text.find("libhwloc-that-is-not-there.so.99"), std::string::npos);
  const auto other = read_places(kFirstNode, "libm.so.6");  // a library, but not that one
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::kUnsupported);
}

int asked = 0;
const Places& made_up() {
  ++asked;
  static const Places places{{"e0", {0, Locality::kNear}}, {"e1", {1, Locality::kFar}}};
  return places;
}

// A made-up machine: e0 and e1 on a bus, others on top of them.
class Described : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hawser-places-XXXXXX";
    root = ::mkdtemp(name);
    asked = 0;
    for (const std::string device : {"e0", "e1", "e2"}) fs::create_directories(net(device) / "device");
    put("devices/system/node/has_cpu", "0-1");
  }
  void TearDown() override { fs::remove_all(root); }
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  }
  fs::path net(const std::string& device) { return root / "class/net" / device; }
  void stack(const std::string& upper, const std::string& lower) {
    fs::create_directories(net(upper) / ("lower_" + lower));
  }
  std::vector<Interface> look(const std::vector<std::string>& names) {
    std::vector<KernelAddress> addresses;
    for (const std::string& name : names) {
      const auto index = static_cast<std::uint32_t>(addresses.size() + 2);
      addresses.push_back(
          {name, index, IFF_UP | IFF_RUNNING, *IpAddress::parse(fmt::format("10.9.0.{}", index)), 24});
    }
    return describe(addresses, root, &made_up);
  }

  fs::path root;
};

TEST_F(Described, PlacesComeFromHwlocWhereTheyMatter) {
  const auto list = look({"e0", "e1", "e2"});
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(list[0].locality, Locality::kNear);
  EXPECT_EQ(list[0].numa_node, 0);
  EXPECT_EQ(list[1].locality, Locality::kFar);
  EXPECT_EQ(list[1].numa_node, 1);
  EXPECT_EQ(list[2].locality, Locality::kUnknown) << "hwloc does not know it, nor does sysfs";
  EXPECT_EQ(list[2].numa_node, -1);
}

TEST_F(Described, OneCardOrOneNodeNeedsNoHwloc) {
  stack("v0", "e0");
  look({"e0", "v0"});
  EXPECT_EQ(asked, 0) << "one device on a bus";
  put("devices/system/node/has_cpu", "0");
  look({"e0", "e1"});
  EXPECT_EQ(asked, 0) << "one node";
  fs::remove(root / "devices/system/node/has_cpu");
  look({"e0", "e1"});
  EXPECT_EQ(asked, 0) << "unknown nodes";
}

TEST_F(Described, StackedDevicesTakeItFromBelowIfThoseAgree) {
  stack("same", "v1");
  stack("v1", "e1");
  stack("mixed", "e0");
  stack("mixed", "e1");
  stack("half", "e0");
  stack("half", "e2");
  const auto list = look({"same", "mixed", "half"});
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(list[0].locality, Locality::kFar);
  EXPECT_EQ(list[1].locality, Locality::kUnknown);
  EXPECT_EQ(list[1].numa_node, -1);
  EXPECT_EQ(list[2].locality, Locality::kUnknown);
}

TEST_F(Described, AlsoWithoutHwloc) {
  put("class/net/e0/device/numa_node", "0");
  put("class/net/e1/device/numa_node", "1");
  put("class/net/e0/speed", "1000");
  put("class/net/e1/speed", "25000");
  stack("mixed", "e0");
  stack("mixed", "e1");
  stack("alone", "e1");
  const DeviceFacts mixed = read_device(root, "mixed");
  EXPECT_EQ(mixed.numa_node, -1);
  EXPECT_EQ(mixed.speed_mbps, 25'000u);
  EXPECT_EQ(mixed.hardware, (std::set<std::string>{"e0", "e1"}));
  EXPECT_EQ(read_device(root, "alone").numa_node, 1);
}

TEST_F(Described, AnotherNamespacesDeviceIsNotOurs) {
  put("class/net/e0/speed", "1000");
  put("class/net/e0/ifindex", "7");
  EXPECT_EQ(read_device(root, "e0", 7).speed_mbps, 1000u);
  EXPECT_EQ(read_device(root, "e0").speed_mbps, 1000u);
  EXPECT_EQ(read_device(root, "e0", 8).speed_mbps, 0u);
}

TEST_F(Described, WideAndCircularStacksEnd) {
  for (int i = 0; i < 300; ++i) stack("wide", fmt::format("x{}", i));
  for (const char* a : {"a", "b", "c", "d"}) {
    for (const char* b : {"a", "b", "c", "d"}) stack(a, b);
  }
  look({"wide", "a"});
}

// The whole way, with interfaces of a namespace that the user's topology puts on two nodes.
TEST(EnumerateWithPlaces, TheUsersTopologyCounts) {
  if (!read_places(own_cores())) GTEST_SKIP() << "hwloc is not installed";
  std::vector<Interface> found;
  const std::string why = testing::in_new_namespace([&](const auto& run) {
    ASSERT_TRUE(run("ip link add e0 type veth peer name e1 && ip link set e0 up && ip link set e1 up"));
    ASSERT_TRUE(run("ip addr add 10.9.0.1/24 dev e0 && ip addr add 10.9.1.1/24 dev e1"));
    const TopologyFile file(two_nodes());
    const auto all = enumerate();  // the only one of this process: the answer is kept
    ASSERT_TRUE(all);
    for (const Interface& interface : *all) {
      if (interface.address.family == Family::kV4 && !interface.has(kLoopback)) found.push_back(interface);
    }
  });
  if (!why.empty()) GTEST_SKIP() << why;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].numa_node, 0);
  EXPECT_EQ(found[1].numa_node, 1);
}

}  // namespace
}  // namespace hawser::interfaces
