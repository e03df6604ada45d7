// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/job.hpp"

// Content: every size, every shape, in order, to the last byte.

namespace hawser::conformance {

namespace {

constexpr std::uint8_t kHeaderSizes[] = {16, 17, 24, 40, 48, 49, 56, 57, 64, 80, 88};

void expect_in_order(const Rank& self, std::size_t count) {
  ASSERT_EQ(self.arrivals().size(), count);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(self.arrivals()[i].stamp.number, i);
}

std::vector<std::size_t> sizes_up_to(std::size_t limit) {
  std::vector<std::size_t> sizes{0, 1, 7, 8, 39, 40, 41, 55, 56, 57, 63, 64, 65, 1000, 4095, 4096, 4097};
  std::erase_if(sizes, [limit](std::size_t size) { return size > limit; });
  sizes.push_back(limit - 1);
  sizes.push_back(limit);
  return sizes;
}

}  // namespace

TEST(Messages, ImmediateOfEverySize) {
  run_job([](Rank& self) {
    const auto sizes = sizes_up_to(self.rail().module->attributes().eager_limit);
    if (self.sends()) {
      std::uint32_t number = 0;
      for (const std::size_t size : sizes) {
        for (const std::uint8_t header : kHeaderSizes) {
          ASSERT_EQ(self.sendi({number++, 0, size}, header), btl::Posted::kDone);
        }
      }
    }
    if (self.receives()) {
      const std::size_t count = sizes.size() * std::size(kHeaderSizes);
      self.until([&] { return self.arrivals().size() >= count; }, "all messages");
      expect_in_order(self, count);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(self.arrivals()[i].header_size, kHeaderSizes[i % std::size(kHeaderSizes)]);
      }
    }
    self.finish();
  });
}

TEST(Messages, DescribedOfEverySizeAndShape) {
  run_job([](Rank& self) {
    const auto sizes = sizes_up_to(self.rail().module->attributes().max_send_size);
    const std::size_t pieces[] = {1, 2, 5, 16};
    std::uint32_t number = 0;
    if (self.sends()) {
      for (const std::size_t size : sizes) {
        for (const std::size_t cut : pieces) {
          Parcel parcel;
          parcel.fill({number, 0, size}, kHeaderSizes[number % std::size(kHeaderSizes)], cut);
          ++number;
          const btl::Posted posted = self.send(parcel);
          ASSERT_TRUE(posted == btl::Posted::kDone || posted == btl::Posted::kPending);
          self.settle(parcel, posted);
          EXPECT_EQ(parcel.completions.load(), posted == btl::Posted::kPending ? 1 : 0);
          EXPECT_EQ(parcel.outcome.load(), Errc::kOk);
        }
      }
    }
    if (self.receives()) {
      const std::size_t count = sizes.size() * std::size(pieces);
      self.until([&] { return self.arrivals().size() >= count; }, "all messages");
      expect_in_order(self, count);
    }
    self.finish();
  });
}

TEST(Messages, WithoutAnyPiece) {
  run_job([](Rank& self) {
    if (self.sends()) {
      Parcel parcel;
      parcel.fill({0, 0, 0});
      parcel.data = nullptr;
      parcel.data_count = 0;
      self.settle(parcel, self.send(parcel));
    }
    if (self.receives()) self.until([&] { return self.arrivals().size() == 1; }, "an empty message");
    self.finish();
  });
}

TEST(Messages, PlacedOrBuffered) {
  run_job([](Rank& self) {
    const std::size_t limit = self.rail().module->attributes().max_send_size;
    const std::size_t sizes[] = {0, 1, 1000, limit};
    if (self.sends()) {
      std::uint32_t number = 0;
      for (const std::size_t size : sizes) {
        Parcel parcel;
        parcel.fill({number++, 0, size});
        parcel.tag = kPlacedTag;
        self.settle(parcel, self.send(parcel));
      }
    }
    if (self.receives()) {
      self.until([&] { return self.arrivals().size() >= std::size(sizes); }, "all messages");
      expect_in_order(self, std::size(sizes));
    }
    self.finish();
  });
}

TEST(Messages, BothWaysAtOnceInOrder) {
  run_job([](Rank& self) {
    constexpr std::uint32_t kCount = 20000;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(self.sendi({i, self.own(), i % 200}), btl::Posted::kDone);
      if (i % 16 == 0) self.pass();
    }
    self.until([&] { return self.arrivals().size() >= kCount; }, "all messages");
    expect_in_order(self, kCount);
    self.finish();
  });
}

}  // namespace hawser::conformance
