// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "components/tcp/params.hpp"
#include "framework/base/fd.hpp"
#include "tests/unit/tcp_fake_job.hpp"

namespace hawser::net_tests {

/// Removes the hosts of processes that are gone. False: it cannot be run.
bool sweep();
/// Whether test hosts can be made here; if not, why. The first time also sweeps.
bool can_make_namespaces(std::string& why);

/// A network namespace of its own name, with loopback up; gone with the object.
class Namespace {
 public:
  explicit Namespace(const std::string& letter);
  ~Namespace();
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t inode() const;
  /// Runs `ip -n NAME arguments`; the test fails if that fails.
  void ip(const std::string& arguments) const;
  /// An interface that is up, carries an address and leads nowhere.
  void dead_end(const std::string& interface, const std::string& address) const;
  int fd() const { return fd_.get(); }

 private:
  std::string name_;
  Fd fd_;
};

/// This thread is in a namespace while the object lives. With `sysfs`, /sys shows it too.
class Inside {
 public:
  explicit Inside(const Namespace& where, bool sysfs = false);
  ~Inside();

 private:
  Fd home_;
  bool sysfs_;
};

/// Joins two hosts with a cable: an interface of that name in each.
void cable(const Namespace& a, const Namespace& b, const std::string& interface, const std::string& address_a,
           const std::string& address_b);

/// Two hosts, A and B, a rank on each.
class TwoHosts : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Opens both ranks with the parameters as they are; `b_in` puts rank 1 on another host than B.
  void open(const Namespace* b_in = nullptr);
  btl::Reach reach(std::uint32_t from);
  bool drive(const std::function<bool()>& done);
  /// Sends one message from rank `from` over each rail and waits until all arrive whole.
  void exchange(std::uint32_t from, std::size_t size);
  /// Names of the modules that carry from that rank to the other: "tcp/e0#0 tcp/e1#0 ".
  std::string rails(std::uint32_t from = 0);

  std::unique_ptr<Namespace> a;
  std::unique_ptr<Namespace> b;
  tcp::testing::FakeJob job{2};
  std::unique_ptr<tcp::testing::Rank> ranks[2];
  const Namespace* homes[2] = {nullptr, nullptr};
};

}  // namespace hawser::net_tests
