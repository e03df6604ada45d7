// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A creation fails while others are parked: all learn it, in the same words, and the next one succeeds.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "framework/peers/peer_table.hpp"
#include "tests/race/failing_memory.hpp"
#include "tests/race/worst_moment.hpp"

namespace hawser::tests {
namespace {

using Table = peers::PeerTable<Endpoints>;
using Made = Table::Made;

struct Told {
  int alike = 0;  // of kThreads: how many got the creator's own code and text
  int makes = 0;
  Error error;  // the creator's
};

/// 64 callers; the creator fails as `fail` says when all others are parked.
template <class T>
Told everybody(T& table, Deadline deadline, Made (*fail)()) {
  std::atomic<int> parked{0};
  std::atomic<int> makes{0};
  ScopedHook hook("peer.parked", &count, &parked);
  std::vector<Error> errors(kThreads);
  std::atomic<int> creator{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      auto got = table.get_or_make(0, deadline, [&]() -> Made {
        ++makes;
        creator = i;
        wait_for(parked, kThreads - 1);
        return fail();
      });
      if (!got) errors[i] = got.error();
    });
  }
  for (auto& thread : threads) thread.join();
  Told told;
  told.makes = makes;
  told.error = errors[creator];
  for (const Error& error : errors)
    told.alike += error.code == told.error.code && error.text == told.error.text ? 1 : 0;
  return told;
}

Made no_memory() {
  throw std::bad_alloc();
}
Made thrown() {
  throw std::runtime_error("a bug of the maker");
}
Made oddly_thrown() {
  throw 7;
}
Made modex_error() {
  return make_error(Errc::kNotFound, "rank 0 was killed by signal 9 and had published nothing");
}
Made out_of_time() {
  return make_error(Errc::kTimedOut, "rank 0 has not published \"proc\" in time");
}
Made nothing() {
  return std::unique_ptr<Endpoints>();
}

struct Way {
  const char* name;
  Made (*fail)();
  Errc code;
  const char* text;
};
class FailedCreation : public testing::TestWithParam<Way> {};

TEST_P(FailedCreation, IsToldToAllWhoWaitedAndMayBeTriedAgain) {
  Table table(1);
  const Told told = everybody(table, soon(), GetParam().fail);
  EXPECT_EQ(told.makes, 1);
  EXPECT_EQ(told.alike, kThreads);
  EXPECT_EQ(told.error.code, GetParam().code);
  EXPECT_NE(told.error.text.find(GetParam().text), std::string::npos) << told.error.text;
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.published(), 0u);
  auto again = table.get_or_make(0, soon(), make_whole);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(table.find(0), *again);
}

INSTANTIATE_TEST_SUITE_P(
    PeerTable, FailedCreation,
    testing::Values(Way{"NoMemory", no_memory, Errc::kOutOfMemory, "no memory for what belongs to rank 0"},
                    Way{"Exception", thrown, Errc::kInvalid, "rank 0 failed: a bug of the maker"},
                    Way{"NoException", oddly_thrown, Errc::kInvalid, "rank 0 failed with an unknown"},
                    Way{"ModexError", modex_error, Errc::kNotFound, "killed by signal 9"},
                    Way{"TimedOut", out_of_time, Errc::kTimedOut, "has not published"},
                    Way{"Nothing", nothing, Errc::kInvalid, "set up as nothing"}),
    [](const auto& info) { return info.param.name; });

TEST(PeerTable, FaultFailureToldToTheCreatorAloneIsCaught) {
  HastyTable table;
  const Told told = everybody(table, deadline_in(std::chrono::milliseconds(500)), modex_error);
  EXPECT_EQ(told.alike, 1);
}

/// One creation whose every allocation from the `first`-th on fails, and a caller parked on it. True: both
/// were told; the creation is over.
bool fails_at(Table& table, int first, bool& done) {
  std::atomic<int> parked{0};
  std::atomic<int> making{0};
  ScopedHook hook("peer.parked", &count, &parked);
  Result<Endpoints*> waiter(nullptr);
  std::thread second;
  Result<Endpoints*> creator(nullptr);
  {
    FailingMemory none(first);
    creator = table.get_or_make(0, soon(), [&]() -> Made {
      {
        FailingMemory::Pause mine;
        second = std::thread([&] { waiter = table.get_or_make(0, soon(), make_whole); });
      }
      wait_for(parked, 1);
      making = 1;
      return make_whole();
    });
  }
  if (second.joinable()) second.join();
  done = static_cast<bool>(creator);
  if (done) return waiter && *waiter == *creator;
  if (!making) return creator.error().code == Errc::kOutOfMemory;
  return creator.error().code == Errc::kOutOfMemory && !waiter && waiter.error().code == Errc::kOutOfMemory &&
         waiter.error().text == creator.error().text;
}

TEST(PeerTable, EveryAllocationOfACreationMayFailAndNobodyIsLeftWaiting) {
  Table table(1);
  bool done = false;
  int first = 0;
  for (; !done && first < 100; ++first) {
    ASSERT_TRUE(fails_at(table, first, done)) << "allocation " << first;
    ASSERT_EQ(table.published(), done ? 1u : 0u);
  }
  EXPECT_TRUE(done);
  EXPECT_GT(first, 3) << "the round, the peer and its endpoints";
}

}  // namespace
}  // namespace hawser::tests
