// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "tests/conformance/job.hpp"

// Room: what happens when there is none, and that what was taken is neither lost nor doubled.

namespace hawser::conformance {

namespace {

constexpr std::size_t kFlood = 4096;  // messages, if the component never refuses

std::uint32_t accepted_of(Rank& self) {
  return static_cast<std::uint32_t>(self.host().board().flags[0].load());
}

void tell_accepted(Rank& self, std::uint32_t count) {
  self.host().board().flags[0] = count;
  self.host().board().flags[1] = 1;
}

void receive_what_was_accepted(Rank& self) {
  self.until([&] { return self.host().board().flags[1].load() != 0; }, "the end of the flood");
  const std::uint32_t accepted = accepted_of(self);
  self.until([&] { return self.arrivals().size() >= accepted; }, "all accepted messages");
  for (int i = 0; i < 100; ++i) self.pass();
  ASSERT_EQ(self.arrivals().size(), accepted) << "a refused message came, or one came twice";
  for (std::uint32_t i = 0; i < accepted; ++i) ASSERT_EQ(self.arrivals()[i].stamp.number, i);
}

}  // namespace

TEST(Flow, ImmediateUntilRefused) {
  run_job([](Rank& self) {
    self.rail();
    self.barrier("first contact");
    if (self.sends()) {
      // Nobody receives meanwhile: the receiver makes no progress until it is told.
      std::uint32_t accepted = 0;
      while (accepted < kFlood) {
        const btl::Posted posted = self.try_sendi({accepted, 0, 64});
        if (posted == btl::Posted::kNoResource) break;
        ASSERT_EQ(posted, btl::Posted::kDone);
        ++accepted;
      }
      for (int i = 0; i < 10 && accepted < kFlood; ++i) {
        EXPECT_EQ(self.try_sendi({accepted, 0, 64}), btl::Posted::kNoResource) << "room out of nothing";
      }
      tell_accepted(self, accepted);
    } else {
      while (self.host().board().flags[1].load() == 0) {
      }
    }
    if (self.receives()) receive_what_was_accepted(self);
    self.barrier("drained");
    // After the drain there is room again.
    if (self.sends()) self.say({accepted_of(self), 0, 64});
    if (self.receives()) {
      const std::size_t all = accepted_of(self) + std::size_t{1};
      self.until([&] { return self.arrivals().size() == all; }, "one more message");
    }
    self.finish();
  });
}

TEST(Flow, DescribedUntilRefused) {
  run_job([](Rank& self) {
    // Every byte is looked at: a limit of megabytes would only take time.
    const std::size_t size = std::min<std::size_t>(self.rail().module->attributes().max_send_size, 65536);
    self.barrier("first contact");
    std::deque<Parcel> parcels;
    std::size_t pending = 0;
    if (self.sends()) {
      std::uint32_t accepted = 0;
      while (accepted < 256) {
        Parcel& parcel = parcels.emplace_back();
        parcel.fill({accepted, 0, size}, 24, 3);
        const btl::Posted posted = self.try_send(parcel);
        if (posted == btl::Posted::kNoResource) {
          EXPECT_EQ(parcel.completions.load(), 0);
          std::fill(parcel.bytes.begin(), parcel.bytes.end(),
                    0);  // a refused post left nothing behind that reads it
          break;
        }
        pending += posted == btl::Posted::kPending;
        ++accepted;
      }
      tell_accepted(self, accepted);
    } else {
      while (self.host().board().flags[1].load() == 0) {
      }
    }
    if (self.receives()) receive_what_was_accepted(self);
    if (self.sends()) {
      const auto completed = [&] {
        std::size_t sum = 0;
        for (auto& parcel : parcels) sum += static_cast<std::size_t>(parcel.completions.load());
        return sum;
      };
      self.until([&] { return completed() >= pending; }, "all completions");
      for (int i = 0; i < 100; ++i) self.pass();
      EXPECT_EQ(completed(), pending) << "exactly one completion for each that pended";
      for (auto& parcel : parcels) EXPECT_LE(parcel.completions.load(), 1);
    }
    self.finish();
  });
}

TEST(Flow, RefusedAndPostedAgainLosesNothing) {
  run_job([](Rank& self) {
    constexpr std::uint32_t kCount = 3000;
    const std::size_t limit = self.rail().module->attributes().max_send_size;
    if (self.sends()) {
      std::deque<Parcel> parcels;
      std::vector<Parcel*> pending;
      for (std::uint32_t i = 0; i < kCount; ++i) {
        const std::size_t size = (i * 7919ull) % (i % 10 == 0 ? limit + 1 : 300);
        if (i % 3 == 0 && size <= self.rail().module->attributes().eager_limit) {
          ASSERT_EQ(self.sendi({i, 0, size}), btl::Posted::kDone);
          continue;
        }
        Parcel& parcel = parcels.emplace_back();
        parcel.fill({i, 0, size}, 24, 1 + i % 4);
        if (self.send(parcel) == btl::Posted::kPending) pending.push_back(&parcel);
      }
      for (Parcel* parcel : pending) self.settle(*parcel, btl::Posted::kPending);
      for (Parcel& parcel : parcels) EXPECT_LE(parcel.completions.load(), 1);
    }
    if (self.receives()) {
      self.until([&] { return self.arrivals().size() >= kCount; }, "all messages");
      for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(self.arrivals()[i].stamp.number, i);
    }
    self.finish();
  });
}

TEST(Flow, CountersAddUp) {
  run_job([](Rank& self) {
    constexpr std::uint32_t kCount = 1000;
    constexpr std::size_t kSize = 333;
    if (self.sends()) {
      for (std::uint32_t i = 0; i < kCount; ++i) self.say({i, 0, kSize});
      EXPECT_EQ(self.counter("messages_sent"), kCount);
      EXPECT_EQ(self.counter("bytes_sent"), kCount * kSize);
      EXPECT_EQ(self.counter("no_resource"), self.refusals());
    }
    if (self.receives()) {
      self.rail();
      self.until([&] { return self.arrivals().size() >= kCount; }, "all messages");
      EXPECT_EQ(self.counter("messages_received"), kCount);
      EXPECT_EQ(self.counter("bytes_received"), kCount * kSize);
    }
    self.finish();
  });
}

}  // namespace hawser::conformance
