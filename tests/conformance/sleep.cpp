// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/job.hpp"

// Going to sleep: nobody who sleeps misses a message, or room.

namespace hawser::conformance {

namespace {

constexpr int kLimitMs = 5000;  // a sleep that lasts so long was not ended by what it waited for

void sleep_until(Rank& self, const std::function<bool()>& done, const char* what) {
  while (!done()) {
    ASSERT_LT(self.sleep(kLimitMs), kLimitMs) << "rank " << self.own() << " slept through: " << what;
    for (int i = 0; i < 3; ++i) self.pass();
  }
}

}  // namespace

TEST(Sleep, NothingToDoMeansNoWorkIsSeen) {
  run_job([](Rank& self) {
    self.rail();
    self.barrier("first contact");
    for (int i = 0; i < 100; ++i) self.pass();
    EXPECT_TRUE(self.component().arm()) << "says there is work, without any";
    self.component().disarm();
    self.finish();
  });
}

TEST(Sleep, PingPongOfSleepers) {
  HAWSER_NEEDS_TWO_RANKS();
  run_job([](Rank& self) {
    constexpr std::uint32_t kRounds = 3000;
    self.rail();
    self.barrier("first contact");
    for (std::uint32_t i = 0; i < kRounds; ++i) {
      if (self.own() == 0) self.say({i, 0, i % 100});
      ASSERT_NO_FATAL_FAILURE(sleep_until(
          self, [&] { return self.arrivals().size() > i; }, "a message"));
      if (self.own() == 1) self.say({i, 0, i % 100});
    }
    self.finish();
  });
}

TEST(Sleep, EveryMessageEndsASleep) {
  run_job([](Rank& self) {
    self.rail();
    self.barrier("first contact");
    for (std::uint32_t i = 0; i < 200; ++i) {
      if (self.sends()) self.say({i, 0, 8});
      if (self.receives()) {
        ASSERT_NO_FATAL_FAILURE(sleep_until(
            self, [&] { return self.arrivals().size() > i; }, "a message"));
      }
    }
    self.finish();
  });
}

TEST(Sleep, RoomWakesASender) {
  HAWSER_NEEDS_TWO_RANKS();
  run_job([](Rank& self) {
    constexpr std::uint32_t kCount = 2000;
    const std::size_t size = self.rail().module->attributes().eager_limit;
    self.barrier("first contact");
    if (self.sends()) {
      for (std::uint32_t i = 0; i < kCount; ++i) {
        while (self.try_sendi({i, 0, size}) == btl::Posted::kNoResource) {
          ASSERT_LT(self.sleep(kLimitMs), kLimitMs) << "slept although there was room";
          for (int k = 0; k < 3; ++k) self.pass();
        }
      }
    } else {
      ASSERT_NO_FATAL_FAILURE(sleep_until(
          self, [&] { return self.arrivals().size() >= kCount; }, "messages"));
    }
    self.finish();
  });
}

}  // namespace hawser::conformance
