// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/event_loop.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "framework/base/clock.hpp"

namespace hawser::progress {
namespace {

Fd ready_fd() {
  return Fd(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
}
Fd quiet_fd() {
  return Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void count(void* counter, std::uint32_t) noexcept {
  ++*static_cast<int*>(counter);
}

TEST(EventLoop, CallsForAReadyDescriptorUntilItIsUnwatched) {
  EventLoop loop;
  Fd fd = ready_fd();
  int calls = 0;
  ASSERT_EQ(loop.watch(fd.get(), EPOLLIN, &count, &calls), Errc::kOk);
  EXPECT_EQ(loop.watched(), 1u);
  EXPECT_EQ(loop.run(0), 1);
  EXPECT_EQ(loop.run(-1), 1);
  loop.unwatch(fd.get());
  EXPECT_EQ(loop.run(0), 0);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(loop.watched(), 0u);
}

TEST(EventLoop, RewatchChangesWhatIsWaitedFor) {
  EventLoop loop;
  Fd fd = quiet_fd();
  int calls = 0;
  ASSERT_EQ(loop.watch(fd.get(), EPOLLIN, &count, &calls), Errc::kOk);
  EXPECT_EQ(loop.run(0), 0);
  EXPECT_EQ(loop.rewatch(fd.get(), EPOLLIN | EPOLLOUT), Errc::kOk);
  EXPECT_EQ(loop.run(0), 1);
}

TEST(EventLoop, WhatAWaitFoundMayBeDroppedAndIsFoundAgain) {
  EventLoop loop;
  Fd fd = ready_fd();
  int calls = 0;
  ASSERT_EQ(loop.watch(fd.get(), EPOLLIN, &count, &calls), Errc::kOk);
  EventLoop::Ready dropped, ready;
  loop.wait(-1, dropped);
  EXPECT_EQ(dropped.count, 1);
  EXPECT_EQ(calls, 0);
  loop.wait(-1, ready);
  EXPECT_EQ(loop.run(ready), 1);
  loop.unwatch(fd.get());
  EXPECT_EQ(loop.run(ready), 0) << "nobody watches it any more";
  EXPECT_EQ(calls, 1);
  loop.wake();
  loop.wait(-1, dropped);
  loop.wait(-1, ready);
  EXPECT_EQ(ready.count, 1) << "a wake-up is not lost either";
}

TEST(EventLoop, MisuseIsAnError) {
  EventLoop loop;
  Fd fd = quiet_fd();
  int calls = 0;
  EXPECT_EQ(loop.watch(-1, EPOLLIN, &count, &calls), Errc::kInvalid);
  EXPECT_EQ(loop.rewatch(fd.get(), EPOLLIN), Errc::kNotFound);
  ASSERT_EQ(loop.watch(fd.get(), EPOLLIN, &count, &calls), Errc::kOk);
  EXPECT_EQ(loop.watch(fd.get(), EPOLLIN, &count, &calls), Errc::kInvalid);
  loop.unwatch(fd.get() + 1000);
  EXPECT_EQ(loop.watched(), 1u);
}

// Two descriptors are ready in one batch. Whichever callback runs first closes both and watches a quiet
// descriptor under the other's number: the event that is left in the batch was not meant for it.
struct Reuse {
  EventLoop loop;
  int fds[2];
  int first_calls = 0;
  int new_calls = 0;
  static void on_event(void* self, std::uint32_t) noexcept { static_cast<Reuse*>(self)->replace(); }
  static void on_new(void* self, std::uint32_t) noexcept { ++static_cast<Reuse*>(self)->new_calls; }
  void replace() noexcept {
    ++first_calls;
    Fd quiet = quiet_fd();
    for (int fd : fds) {
      loop.unwatch(fd);
      ::dup2(quiet.get(), fd);
      EXPECT_EQ(loop.watch(fd, EPOLLIN, &on_new, this), Errc::kOk);
    }
  }
};

TEST(EventLoop, AStaleEventDoesNotReachTheNewWatchOfAReusedDescriptor) {
  Reuse reuse;
  Fd a = ready_fd();
  Fd b = ready_fd();
  reuse.fds[0] = a.get();
  reuse.fds[1] = b.get();
  for (int fd : reuse.fds) ASSERT_EQ(reuse.loop.watch(fd, EPOLLIN, &Reuse::on_event, &reuse), Errc::kOk);
  EXPECT_EQ(reuse.loop.run(0), 1);
  EXPECT_EQ(reuse.first_calls, 1);
  EXPECT_EQ(reuse.new_calls, 0);
}

struct Order {
  std::vector<int> ran;
};
struct Entry {
  Order* order;
  int id;
  static void call(void* self) noexcept {
    auto* entry = static_cast<Entry*>(self);
    entry->order->ran.push_back(entry->id);
  }
};

TEST(EventLoop, TimersRunOnceInTheOrderOfTheirTimes) {
  EventLoop loop;
  Order order;
  Entry entries[3] = {{&order, 0}, {&order, 1}, {&order, 2}};
  const std::uint64_t now = now_ns();
  loop.call_at(now - 1, &Entry::call, &entries[2]);
  loop.call_at(now - 3, &Entry::call, &entries[0]);
  loop.call_at(now - 2, &Entry::call, &entries[1]);
  EXPECT_EQ(loop.run(0), 3);
  EXPECT_EQ(loop.run(0), 0);
  EXPECT_EQ(order.ran, (std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(loop.has_timers());
}

TEST(EventLoop, ATimerEndsTheWaitAndIsNeverEarly) {
  EventLoop loop;
  Order order;
  Entry entry{&order, 0};
  const std::uint64_t due = now_ns() + 3'000'000;
  loop.call_at(due, &Entry::call, &entry);
  while (loop.run(-1) == 0) continue;
  EXPECT_GE(now_ns(), due);
}

TEST(EventLoop, ACancelledTimerDoesNotRun) {
  EventLoop loop;
  Order order;
  Entry entry{&order, 0};
  const std::uint64_t id = loop.call_at(1, &Entry::call, &entry);
  EXPECT_NE(id, 0u);
  EXPECT_TRUE(loop.cancel_call(id));
  EXPECT_FALSE(loop.cancel_call(id));
  EXPECT_EQ(loop.run(0), 0);
  EXPECT_TRUE(order.ran.empty());
  const std::uint64_t ran = loop.call_at(1, &Entry::call, &entry);
  loop.run(0);
  EXPECT_FALSE(loop.cancel_call(ran));
}

TEST(EventLoop, AWakeBeforeTheWaitEndsIt) {
  EventLoop loop;
  loop.wake();
  EXPECT_EQ(loop.run(-1), 0);
}

// Without a wake-up the wait would have no end: a lost one is a hang.
TEST(EventLoop, ATimerSetByAnotherThreadEndsAWaitWithoutEnd) {
  for (int i = 0; i < 200; ++i) {
    EventLoop loop;
    Order order;
    Entry entry{&order, i};
    std::thread setter([&] { loop.call_at(now_ns(), &Entry::call, &entry); });
    while (loop.run(-1) == 0) continue;
    setter.join();
    EXPECT_EQ(order.ran.size(), 1u);
  }
}

}  // namespace
}  // namespace hawser::progress
