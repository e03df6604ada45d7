// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "framework/base/counters.hpp"
#include "framework/base/fd.hpp"
#include "framework/base/list.hpp"
#include "framework/base/result.hpp"
#include "framework/base/wire.hpp"

namespace hawser {
namespace {

TEST(Result, CarriesAValueOrAnErrorWithItsText) {
  Result<int> good = 3;
  Result<int> bad = make_error(Errc::kNotFound, "rank {} is not there", 7);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Errc::kNotFound);
  EXPECT_EQ(bad.error().text, "rank 7 is not there");
}

TEST(Result, ASystemErrorKeepsItsErrnoAndTellsOutOfRoomApart) {
  const Error full = system_error("socket", EMFILE);
  EXPECT_EQ(full.code, Errc::kOutOfMemory);
  EXPECT_EQ(full.sys_errno, EMFILE);
  EXPECT_EQ(full.text, "socket: Too many open files");
  EXPECT_EQ(system_error("x", ECONNREFUSED).code, Errc::kUnreachable);
  EXPECT_EQ(system_error("x", EACCES).code, Errc::kPermission);
  EXPECT_EQ(system_error("x", EIO).code, Errc::kSystem);
}

std::string sample() {
  WireWriter out;
  out.put(std::uint16_t{0x1234});
  out.put(std::uint64_t{99});
  out.put_text("eth0");
  return out.take();
}

TEST(Wire, ReadsWhatWasWritten) {
  const std::string bytes = sample();
  WireReader in(bytes.data(), bytes.size());
  EXPECT_EQ(in.get<std::uint16_t>(), 0x1234);
  EXPECT_EQ(in.get<std::uint64_t>(), 99u);
  EXPECT_EQ(in.get_text(), "eth0");
  EXPECT_TRUE(in.done());
}

TEST(Wire, EveryShorterInputIsNoticedAndReadsAsZero) {
  const std::string bytes = sample();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string part =
        bytes.substr(0, size);  // a buffer of just that size: a checker sees every overrun
    WireReader in(part.data(), part.size());
    in.get<std::uint16_t>();
    in.get<std::uint64_t>();
    EXPECT_EQ(in.get_text(), "");
    EXPECT_FALSE(in.ok()) << size;
    EXPECT_EQ(in.get<std::uint32_t>(), 0u);
    EXPECT_EQ(in.left(), 0u);
  }
}

TEST(Wire, AfterOneFailureNothingIsReadAnyMore) {
  const char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  WireReader in(bytes, sizeof bytes);
  in.skip(9);
  EXPECT_EQ(in.get<std::uint8_t>(), 0);
  EXPECT_FALSE(in.ok());
}

TEST(Wire, ATextLongerThanTheRestIsEmpty) {
  const unsigned char bytes[] = {0xff, 0xff, 'a'};
  WireReader in(bytes, sizeof bytes);
  EXPECT_EQ(in.get_text(), "");
  EXPECT_FALSE(in.ok());
}

TEST(Wire, LeftoversAreNotDone) {
  const char bytes[3] = {};
  WireReader in(bytes, sizeof bytes);
  in.get<std::uint16_t>();
  EXPECT_TRUE(in.ok());
  EXPECT_FALSE(in.done());
}

struct Item {
  Item* next = nullptr;
  int id = 0;
};

std::vector<int> ids(Fifo<Item>& queue) {
  std::vector<int> all;
  while (Item* item = queue.pop_front()) all.push_back(item->id);
  return all;
}

TEST(Fifo, KeepsOrderAndCounts) {
  Item a{nullptr, 1}, b{nullptr, 2}, c{nullptr, 3};
  Fifo<Item> queue;
  queue.push_back(b);
  queue.push_back(c);
  queue.push_front(a);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(ids(queue), (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.size(), 0u);
}

TEST(Fifo, PushFrontOnEmptyThenPushBackLinksBoth) {
  Item a{nullptr, 1}, b{nullptr, 2};
  Fifo<Item> queue;
  queue.push_front(a);
  queue.push_back(b);
  EXPECT_EQ(ids(queue), (std::vector<int>{1, 2}));
}

TEST(Fifo, SpliceFrontPutsTheOtherFirstAndLeavesItEmpty) {
  Item a{nullptr, 1}, b{nullptr, 2}, c{nullptr, 3}, d{nullptr, 4};
  Fifo<Item> queue, other;
  queue.push_back(c);
  other.push_back(a);
  other.push_back(b);
  queue.splice_front(other);
  EXPECT_TRUE(other.empty());
  EXPECT_EQ(other.size(), 0u);
  EXPECT_EQ(other.front(), nullptr);
  other.push_back(d);  // usable again, and not part of the queue
  EXPECT_EQ(ids(queue), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(ids(other), (std::vector<int>{4}));
}

TEST(Fifo, SpliceIntoAnEmptyQueueKeepsItsTail) {
  Item a{nullptr, 1}, b{nullptr, 2};
  Fifo<Item> queue, other;
  other.push_back(a);
  queue.splice_front(other);
  queue.push_back(b);
  EXPECT_EQ(ids(queue), (std::vector<int>{1, 2}));
}

TEST(Fifo, MovingAwayLeavesTheSourceEmpty) {
  Item a{nullptr, 1}, b{nullptr, 2};
  Fifo<Item> queue;
  queue.push_back(a);
  Fifo<Item> moved(std::move(queue));
  EXPECT_TRUE(queue.empty());  // NOLINT(bugprone-use-after-move): that it is empty is the promise
  queue.push_back(b);
  EXPECT_EQ(ids(moved), (std::vector<int>{1}));
  EXPECT_EQ(ids(queue), (std::vector<int>{2}));
}

enum class Counter { kSent, kLost, kCount };

TEST(Counters, CountPerName) {
  Counters<Counter> counters;
  counters.add(Counter::kSent, 5);
  counters.add_shared(Counter::kSent);
  EXPECT_EQ(counters.get(Counter::kSent), 6u);
  EXPECT_EQ(counters.get(Counter::kLost), 0u);
  EXPECT_EQ(counters.data()[0].load(), 6u);
}

TEST(FileDescriptor, IsClosedOnceByItsOwner) {
  int raw;
  {
    Fd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    raw = first.get();
    Fd second(std::move(first));
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(second.get(), raw);
  }
  EXPECT_EQ(::fcntl(raw, F_GETFD), -1);
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace hawser
