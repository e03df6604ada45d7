// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <deque>

#include "tests/conformance/job.hpp"

// Ends: in good order, with work pending, and by the death of the peer.

namespace hawser::conformance {

namespace {

int open_files() {
  int count = 0;
  if (DIR* folder = ::opendir("/proc/self/fd")) {
    while (::readdir(folder)) ++count;
    ::closedir(folder);
  }
  return count;
}

// Posts descriptors until one is refused; how many pend.
std::size_t fill_up(Rank& self, std::deque<Parcel>& parcels) {
  const std::size_t size = self.rail().module->attributes().max_send_size;
  std::size_t pending = 0;
  for (std::uint32_t i = 0; i < 256; ++i) {
    Parcel& parcel = parcels.emplace_back();
    parcel.fill({i, 0, size});
    const btl::Posted posted = self.try_send(parcel);
    if (posted == btl::Posted::kNoResource || posted == btl::Posted::kUnreachable) break;
    pending += posted == btl::Posted::kPending;
  }
  return pending;
}

std::size_t completed(const std::deque<Parcel>& parcels) {
  std::size_t sum = 0;
  for (const Parcel& parcel : parcels) {
    EXPECT_LE(parcel.completions.load(), 1);
    sum += static_cast<std::size_t>(parcel.completions.load());
  }
  return sum;
}

}  // namespace

TEST(Ends, GoodOrderIsNoFailure) {
  HAWSER_NEEDS_TWO_RANKS();
  run_job([](Rank& self) {
    self.say({0, 0, 10});
    self.until([&] { return self.arrivals().size() == 1; }, "a message");
    self.until([&] { return self.component().flushed(); }, "everything flushed");
    self.barrier("all was said");
    if (self.own() == 1) {
      self.close();
      self.host().board().flags[4] = 1;
      return;  // the process ends
    }
    self.until([&] { return self.host().board().flags[4].load() != 0; }, "the other's close");
    const pid_t other = static_cast<pid_t>(self.host().board().shelves[1].pid);
    // Until the other is a zombie or gone, and then some.
    self.until(
        [&] {
          char state = 'Z';
          if (FILE* file = std::fopen(fmt::format("/proc/{}/stat", other).c_str(), "r")) {
            if (std::fscanf(file, "%*d %*s %c", &state) != 1) state = 'Z';
            std::fclose(file);
          }
          return state == 'Z' || state == 'X';
        },
        "the other's end");
    for (int i = 0; i < 1000; ++i) self.pass();
    EXPECT_TRUE(self.host().failures().empty()) << self.host().failures().front().text;
    EXPECT_EQ(self.host().complaints(), 0);
    self.close();
  });
}

TEST(Ends, AKilledPeerIsReportedOnce) {
  HAWSER_NEEDS_TWO_RANKS();
  run_job(
      [](Rank& self) {
        self.say({0, 0, 10});
        self.until([&] { return self.arrivals().size() == 1; }, "a message");
        self.barrier("first contact");
        if (self.own() == 1) {
          self.until([&] { return self.host().board().flags[4].load() != 0; }, "the other's readiness");
          ::kill(::getpid(), SIGKILL);
        }
        std::deque<Parcel> parcels;
        const std::size_t pending = fill_up(self, parcels);
        self.host().board().flags[4] = 1;
        self.until([&] { return !self.host().failures().empty(); }, "the report of the peer's end");
        EXPECT_EQ(completed(parcels), pending) << "pending descriptors complete before the report";
        for (int i = 0; i < 1000; ++i) self.pass();
        ASSERT_EQ(self.host().failures().size(), 1u);
        const FakeHost::Failure& failure = self.host().failures().front();
        EXPECT_EQ(failure.rank, 1u);
        EXPECT_EQ(failure.module, self.rail().module);
        EXPECT_NE(failure.status, Errc::kOk);
        EXPECT_NE(failure.text, "");
        Parcel late;
        late.fill({0, 0, 10});
        EXPECT_EQ(self.try_send(late), btl::Posted::kUnreachable);
        EXPECT_EQ(self.try_sendi({0, 0, 10}), btl::Posted::kUnreachable);
        EXPECT_EQ(late.completions.load(), 0);
        self.close();
        EXPECT_EQ(completed(parcels), pending);
      },
      2, 1);
}

TEST(Ends, WhatAPeerSentBeforeItsDeathArrives) {
  HAWSER_NEEDS_TWO_RANKS();
  run_job(
      [](Rank& self) {
        self.rail();
        self.say({0, self.own(), 10});
        self.until([&] { return self.arrivals().size() == 1; }, "a message");
        self.barrier("first contact");
        if (self.own() == 1) {
          for (std::uint32_t i = 1; i <= 5; ++i) self.say({i, 1, 100});
          self.until([&] { return self.component().flushed(); }, "everything flushed");
          ::kill(::getpid(), SIGKILL);
        }
        self.until([&] { return !self.host().failures().empty(); }, "the report of the peer's end");
        EXPECT_EQ(self.arrivals().size(), 6u);
        self.close();
      },
      2, 1);
}

TEST(Ends, CloseCompletesWhatPends) {
  run_job([](Rank& self) {
    self.say({0, 0, 10});
    self.until([&] { return self.arrivals().size() == 1; }, "a message");
    self.barrier("first contact");
    if (self.sends()) {
      std::deque<Parcel> parcels;
      const std::size_t pending = fill_up(self, parcels);
      self.close();
      EXPECT_EQ(completed(parcels), pending) << "each pending descriptor completes, once";
      self.host().board().flags[4] = 1;
    } else {
      while (self.host().board().flags[4].load() == 0) {
      }
      self.close();
    }
  });
}

TEST(Ends, ReleaseCompletesWhatPends) {
  run_job([](Rank& self) {
    self.say({0, 0, 10});
    self.until([&] { return self.arrivals().size() == 1; }, "a message");
    self.barrier("first contact");
    if (self.sends()) {
      std::deque<Parcel> parcels;
      const std::size_t pending = fill_up(self, parcels);
      self.component().release_peer(self.peer());
      self.until([&] { return completed(parcels) >= pending; }, "completions after a release");
      for (int i = 0; i < 100; ++i) self.pass();
      EXPECT_EQ(completed(parcels), pending);
      self.host().board().flags[4] = 1;
    } else {
      while (self.host().board().flags[4].load() == 0) {
      }
    }
    self.close();
  });
}

TEST(Ends, NothingStaysOpen) {
  const int before = open_files();
  run_job([before](Rank& self) {
    self.say({0, 0, 10});
    self.until([&] { return self.arrivals().size() == 1; }, "a message");
    self.finish();
    EXPECT_LE(open_files(), before + 2) << "the event loop's two descriptors are ours";
  });
}

}  // namespace hawser::conformance
