// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/net/namespaces.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cstdlib>

#include "framework/base/clock.hpp"

namespace hawser::net_tests {
namespace {

int run(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str());
}

// Mounts of the tests are seen by nobody else.
bool own_mounts() {
  static const bool done =
      ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return done;
}

}  // namespace

bool sweep() {
  return run("sh " SWEEP) == 0;
}

bool can_make_namespaces(std::string& why) {
  if (::geteuid() != 0)
    why = "making network namespaces needs root";
  else if (run("ip -V") != 0)
    why = "ip(8) is not installed";
  else if (const std::string probe = fmt::format("hwprobe{}", ::getpid()); run("ip netns add " + probe) != 0)
    why = "network namespaces are not permitted here";
  else
    run("ip netns del " + probe);
  if (!why.empty()) return false;
  static const bool swept = sweep();
  return swept;
}

Namespace::Namespace(const std::string& letter) : name_(fmt::format("hw{}{}", ::getpid(), letter)) {
  run("ip netns del " + name_);
  EXPECT_EQ(run("ip netns add " + name_), 0);
  fd_.reset(::open(("/run/netns/" + name_).c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(fd_);
  ip("link set lo up");
}

Namespace::~Namespace() {
  run("ip netns del " + name_);
}

std::uint64_t Namespace::inode() const {
  struct stat facts {};
  ::fstat(fd_.get(), &facts);
  return facts.st_ino;
}

void Namespace::ip(const std::string& arguments) const {
  EXPECT_EQ(run(fmt::format("ip -n {} {}", name_, arguments)), 0) << arguments;
}

void Namespace::dead_end(const std::string& interface, const std::string& address) const {
  // Not every kernel has dummies; a cable whose other end is down is as dead.
  if (run(fmt::format("ip -n {} link add {} type dummy", name_, interface)) != 0) {
    ip(fmt::format("link add {0} type veth peer name p{0}", interface));
  }
  ip(fmt::format("addr add {} dev {}", address, interface));
  ip(fmt::format("link set {} up", interface));
}

Inside::Inside(const Namespace& where, bool sysfs)
    : home_(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)), sysfs_(sysfs) {
  EXPECT_EQ(::setns(where.fd(), CLONE_NEWNET), 0);
  if (sysfs_) {
    EXPECT_TRUE(own_mounts());
    EXPECT_EQ(::mount("sysfs", "/sys", "sysfs", 0, nullptr), 0);
  }
}

Inside::~Inside() {
  if (sysfs_) ::umount2("/sys", MNT_DETACH);
  ::setns(home_.get(), CLONE_NEWNET);
}

namespace {

// A kernel tells a moment later that a cable is plugged in.
void wait_for_carrier(const Namespace& host, const std::string& interface) {
  const Inside inside(host);
  const Fd fd(::socket(AF_INET, SOCK_DGRAM, 0));
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  const Deadline deadline = deadline_in(std::chrono::seconds(5));
  do {
    ASSERT_EQ(::ioctl(fd.get(), SIOCGIFFLAGS, &request), 0);
    if (request.ifr_flags & IFF_RUNNING) return;
    ::usleep(1000);
  } while (Clock::now() < deadline);
  FAIL() << interface << " has no carrier";
}

}  // namespace

void cable(const Namespace& a, const Namespace& b, const std::string& interface, const std::string& address_a,
           const std::string& address_b) {
  // Where both ends have the same index, kernels take their time to say that the cable is in.
  static int index = 1000;
  index += 2;
  EXPECT_EQ(run(fmt::format("ip link add {0} index {3} netns {1} type veth peer name {0} index {4} netns {2}",
                            interface, a.name(), b.name(), index, index + 1)),
            0);
  for (const auto& [host, address] : {std::pair(&a, &address_a), std::pair(&b, &address_b)}) {
    if (!address->empty()) host->ip(fmt::format("addr add {} dev {} nodad", *address, interface));
    host->ip(fmt::format("link set {} up", interface));
  }
  wait_for_carrier(a, interface);
  wait_for_carrier(b, interface);
}

void TwoHosts::SetUp() {
  std::string why;
  if (!can_make_namespaces(why)) GTEST_SKIP() << why;
  a = std::make_unique<Namespace>("a");
  b = std::make_unique<Namespace>("b");
  tcp::testing::reset_params();
  tcp::g_params.if_include = "";
}

void TwoHosts::TearDown() {
  for (int i = 1; i >= 0; --i) {
    if (!ranks[i]) continue;
    const Inside inside(*homes[i]);
    ranks[i].reset();
  }
}

void TwoHosts::open(const Namespace* b_in) {
  homes[0] = a.get();
  homes[1] = b_in ? b_in : b.get();
  for (std::uint32_t i = 0; i < 2; ++i) {
    job.procs[i].net_namespace = homes[i]->inode();
    std::snprintf(job.procs[i].host, sizeof job.procs[i].host, "%s", homes[i]->name().c_str());
    const Inside inside(*homes[i], true);
    ranks[i] = std::make_unique<tcp::testing::Rank>(job, i);
    ASSERT_EQ(ranks[i]->open(), "");
  }
}

btl::Reach TwoHosts::reach(std::uint32_t from) {
  const Inside inside(*homes[from]);
  return ranks[from]->reach(1 - from);
}

bool TwoHosts::drive(const std::function<bool()>& done) {
  return tcp::testing::drive({}, [&] {
    for (int i = 0; i < 2; ++i) {
      const Inside inside(*homes[i], true);  // interfaces may be looked at again
      ranks[i]->turn();
    }
    return done();
  });
}

void TwoHosts::exchange(std::uint32_t from, std::size_t size) {
  const auto way = reach(from);
  ASSERT_GT(way.count, 0u) << way.reason;
  auto& received = ranks[1 - from]->received;
  received.clear();
  std::vector<std::unique_ptr<tcp::testing::Letter>> letters;
  for (std::size_t i = 0; i < way.count; ++i) {
    letters.push_back(
        std::make_unique<tcp::testing::Letter>(2, "", std::string(size, static_cast<char>('a' + i))));
    const auto posted = way.rails[i].module->send(*way.rails[i].endpoint, letters[i]->descriptor);
    ASSERT_TRUE(posted == btl::Posted::kDone || posted == btl::Posted::kPending);
    if (posted == btl::Posted::kDone) letters[i]->completions = 1;
  }
  // What a rail that is late hands back goes over the first of those that serve, as the BML has it.
  const auto send_again = [&](tcp::testing::Letter& letter) {
    const auto first = reach(from).rails[0];
    letter.completions = 0;
    letter.status = Errc::kOk;
    if (first.module->send(*first.endpoint, letter.descriptor) == btl::Posted::kDone) letter.completions = 1;
  };
  ASSERT_TRUE(drive([&] {
    for (const auto& letter : letters) {
      if (letter->completions == 1 && letter->status == Errc::kUnreachable) send_again(*letter);
    }
    return received.size() == way.count;
  })) << (ranks[from]->failures.empty() ? "nothing came" : ranks[from]->failures[0].text);
  ASSERT_TRUE(drive([&] {
    for (const auto& letter : letters) {
      if (letter->completions != 1) return false;
    }
    return true;
  }));
  for (const auto& message : received) {
    ASSERT_EQ(message.data.size(), size);
    EXPECT_EQ(message.data.find_first_not_of(size ? message.data[0] : ' '), std::string::npos);
  }
}

std::string TwoHosts::rails(std::uint32_t from) {
  const auto way = reach(from);
  if (way.count == 0) return way.reason;
  std::string text;
  for (std::size_t i = 0; i < way.count; ++i) text += std::string(way.rails[i].module->name()) + " ";
  return text;
}

}  // namespace hawser::net_tests
