// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <limits.h>

#include <algorithm>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// Content: every size, every shape, in order, to the last byte.

namespace hawser::check {

namespace {

constexpr std::uint8_t kHeaderSizes[] = {16, 17, 24, 40, 48, 49, 56, 57, 64, 80, 88};

std::vector<std::size_t> sizes_up_to(std::size_t limit) {
  std::vector<std::size_t> sizes{0, 1, 7, 8, 39, 40, 41, 55, 56, 57, 63, 64, 65, 1000, 4095, 4096, 4097};
  std::erase_if(sizes, [limit](std::size_t size) { return size > limit; });
  sizes.push_back(limit - 1);
  sizes.push_back(limit);
  return sizes;
}

void immediate_of_every_size(Rank& self) {
  self.open();
  const auto sizes = sizes_up_to(self.attributes().eager_limit);
  if (self.sends()) {
    std::uint32_t number = 0;
    for (const std::size_t size : sizes) {
      for (const std::uint8_t header : kHeaderSizes) {
        const btl::Posted posted = self.sendi({number++, 0, size}, header);
        require(posted == btl::Posted::kDone, "an immediate send of {} bytes and a header of {} answered {}",
                size, header, self.told(posted));
      }
    }
  }
  if (self.receives()) {
    const std::size_t count = sizes.size() * std::size(kHeaderSizes);
    self.await(count);
    self.expect_each_once(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int size = self.arrivals()[i].header_size;
      expect(size == kHeaderSizes[i % std::size(kHeaderSizes)], "a header of {} bytes came with {}",
             kHeaderSizes[i % std::size(kHeaderSizes)], size);
    }
  }
  self.finish();
}

void described_of_every_size(Rank& self) {
  self.open();
  const auto sizes = sizes_up_to(self.attributes().max_send_size);
  const std::size_t pieces[] = {1, 2, 5, 16};
  std::uint32_t number = 0;
  if (self.sends()) {
    for (const std::size_t size : sizes) {
      for (const std::size_t cut : pieces) {
        Parcel parcel;
        parcel.fill({number, 0, size}, kHeaderSizes[number % std::size(kHeaderSizes)], cut);
        ++number;
        self.settle(parcel, self.send_whole(parcel));
        expect(parcel.outcome.load() == Errc::kOk, "a send of {} bytes in {} pieces completed with: {}", size,
               cut, self.told(parcel.outcome.load()));
      }
    }
  }
  if (self.receives()) {
    const std::size_t count = sizes.size() * std::size(pieces);
    self.await(count);
    self.expect_each_once(count);
  }
  self.finish();
}

// More than the system calls for vectors take at once.
void in_very_many_pieces(Rank& self) {
  self.open();
  const std::size_t pieces[] = {IOV_MAX - 1, IOV_MAX, IOV_MAX + 1, std::size_t{3} * IOV_MAX};
  const std::size_t size = std::min<std::size_t>(self.attributes().max_send_size, 60'000);
  if (self.sends()) {
    std::uint32_t number = 0;
    for (const std::size_t cut : pieces) {
      Parcel parcel;
      parcel.fill({number++, 0, size}, sizeof(Stamp), cut);
      self.settle(parcel, self.send_whole(parcel));
      expect(parcel.outcome.load() == Errc::kOk, "a send of {} bytes in {} pieces completed with: {}", size,
             cut, self.told(parcel.outcome.load()));
    }
  }
  if (self.receives()) {
    self.await(std::size(pieces));
    self.expect_each_once(std::size(pieces));
  }
  self.finish();
}

void without_any_piece(Rank& self) {
  self.open();
  if (self.sends()) {
    Parcel parcel;
    parcel.fill({0, 0, 0});
    parcel.data = nullptr;
    parcel.data_count = 0;
    self.settle(parcel, self.send(parcel));
  }
  if (self.receives()) self.await(1);
  self.finish();
}

void placed_or_buffered(Rank& self) {
  self.open();
  const std::size_t limit = self.attributes().max_send_size;
  const std::size_t sizes[] = {0, 1, 1000, limit};
  if (self.sends()) {
    std::uint32_t number = 0;
    for (const std::size_t size : sizes) {
      Parcel parcel;
      parcel.fill({number++, 0, std::min(size, limit)});
      parcel.tag = kPlacedTag;
      self.settle(parcel, self.send(parcel));
    }
  }
  if (self.receives()) {
    self.await(std::size(sizes));
    self.expect_each_once(std::size(sizes));
  }
  self.finish();
}

void both_ways_in_order(Rank& self) {
  self.open();
  constexpr std::uint32_t kCount = 20000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const btl::Posted posted = self.sendi({i, self.own(), i % 200});
    require(posted == btl::Posted::kDone, "an immediate send answered {}", self.told(posted));
    if (i % 16 == 0) self.pass();
  }
  self.await(kCount);
  self.expect_each_once(kCount);
  self.finish();
}

void unknown_tag_harms_nobody(Rank& self) {
  self.open();
  self.meet();
  if (self.sends()) {
    Parcel parcel;
    parcel.fill({1, 0, std::min<std::size_t>(self.attributes().max_send_size, 100)});
    parcel.tag = kUnknownTag;
    self.settle(parcel, self.send(parcel));
    self.until([&] { return self.component().flushed() || !self.host().failures().empty(); },
               "the message to go");
  }
  self.passes(2000);
  self.barrier("the message that nobody handles");
  self.passes(2000);
  expect(self.arrivals().size() == 1, "a message whose tag nobody handles was delivered to somebody else");
  self.close();
}

constexpr Check kChecks[] = {
    {"message.immediate_whole",
     "An immediate send of any size up to eager_limit, with a header of any size up to 88 bytes, arrives to "
     "the "
     "last byte.",
     kBoth, &immediate_of_every_size},
    {"message.described_whole",
     "A described send of any size up to max_send_size, in any number of pieces, arrives to the last byte.",
     kBoth, &described_of_every_size},
    {"message.very_many_pieces",
     "A described send in more pieces than IOV_MAX arrives to the last byte, as one in a few does.", kBoth,
     &in_very_many_pieces},
    {"message.without_pieces", "A message without data and without an array of pieces arrives.", kBoth,
     &without_any_piece},
    {"message.placed_or_buffered",
     "A handler that offers a place is asked with the header and the rail, and finds the data in the place, "
     "or is "
     "handed a buffer.",
     kBoth, &placed_or_buffered},
    {"message.in_order",
     "With the flag for order set, the messages of an endpoint arrive in the order of their posts, both ways "
     "at "
     "once.",
     kBoth, &both_ways_in_order},
    {"message.unknown_tag",
     "A message whose tag nobody handles is delivered to nobody, and its receiver lives on.", kBoth,
     &unknown_tag_harms_nobody},
};

}  // namespace

std::span<const Check> message_checks() {
  return kChecks;
}

}  // namespace hawser::check
