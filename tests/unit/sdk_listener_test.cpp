// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/un.h>

#include "framework/btl/listener.hpp"
#include "tests/unit/sdk_host.hpp"

// Callers are taken in; while there is no descriptor for them they wait, and nobody spins.

namespace hawser::btl {
namespace {

class SdkListener : public testing::Test {
 protected:
  SdkListener() {
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    fd_ = socket.get();
    own_.sun_family = AF_UNIX;
    EXPECT_EQ(::bind(fd_, address(), sizeof own_.sun_family), 0);
    EXPECT_EQ(::listen(fd_, 8), 0);
    EXPECT_EQ(::getsockname(fd_, address(), &size_), 0);
    EXPECT_EQ(listener_.start<&SdkListener::on_call>(host_, std::move(socket), *this), Errc::kOk);
  }

  void on_call() noexcept {
    ++called_;
    caller_ = listener_.accept(nullptr, nullptr, SOCK_CLOEXEC);
    error_ = errno;
  }
  Fd call() {
    Fd caller(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(caller.get(), address(), size_), 0);
    return caller;
  }
  /// The event while every descriptor that is permitted is in use.
  void event_without_descriptors() {
    rlimit old{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
    const rlimit none{3, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    host_.event(fd_);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
  }
  std::uint32_t events() { return host_.watched.at(fd_).events; }

  TestHost host_;
  Listener listener_;
  int fd_ = -1;
  Fd caller_;
  int called_ = 0;
  int error_ = 0;

 private:
  sockaddr* address() noexcept { return reinterpret_cast<sockaddr*>(&own_); }
  sockaddr_un own_{};
  socklen_t size_ = sizeof own_;
};

TEST_F(SdkListener, TakesCallersInAndSaysWhenNobodyWaits) {
  const Fd caller = call();
  host_.event(fd_);
  EXPECT_TRUE(caller_);
  host_.event(fd_);
  EXPECT_FALSE(caller_);
  EXPECT_EQ(error_, EAGAIN);
  EXPECT_FALSE(listener_.pauses());
}

TEST_F(SdkListener, WithoutADescriptorTheCallerWaitsForTheEndOfThePause) {
  const Fd caller = call();
  event_without_descriptors();
  EXPECT_FALSE(caller_);
  EXPECT_EQ(error_, EMFILE);
  EXPECT_TRUE(listener_.pauses());
  EXPECT_EQ(events(), 0u);
  ASSERT_EQ(host_.calls.size(), 1u);
  host_.run_calls();
  EXPECT_FALSE(listener_.pauses());
  EXPECT_EQ(events(), EPOLLIN);
  host_.event(fd_);
  EXPECT_TRUE(caller_);
}

TEST_F(SdkListener, APauseCanBeEnded) {
  const Fd caller = call();
  event_without_descriptors();
  listener_.resume();
  EXPECT_EQ(events(), EPOLLIN);
  EXPECT_TRUE(host_.calls.empty()) << "the call that was to end it is cancelled";
  listener_.resume();
  EXPECT_EQ(events(), EPOLLIN);
}

TEST_F(SdkListener, WithoutMemoryForACallThereIsNoPause) {
  const Fd caller = call();
  host_.no_calls = true;
  event_without_descriptors();
  EXPECT_FALSE(listener_.pauses());
  EXPECT_EQ(events(), EPOLLIN);
}

TEST_F(SdkListener, ClosesInAPauseToo) {
  const Fd caller = call();
  event_without_descriptors();
  listener_.close();
  EXPECT_TRUE(host_.watched.empty());
  EXPECT_TRUE(host_.calls.empty());
  listener_.close();
}

}  // namespace
}  // namespace hawser::btl
