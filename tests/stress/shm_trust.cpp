// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "components/shm/blob.hpp"
#include "components/shm/ring_receiver.hpp"
#include "components/shm/ring_sender.hpp"
#include "components/shm/segment.hpp"

// What a peer wrote is checked: nothing that it can write makes us read or write outside of our memory.

namespace hawser::shm {

namespace {

constexpr RingShape kShape{8, 4096};

// A ring with untouchable memory behind it would be nicer still; the checks are on what is handed up.
class Forged : public testing::Test {
 protected:
  Forged() : memory_(kShape.bytes() / sizeof(Line) + 1) { receiver_.open(view(), kShape); }

  RingView view() { return RingView::at(memory_.data(), kShape); }
  unsigned char* begin() { return reinterpret_cast<unsigned char*>(memory_.data()); }
  bool inside(const void* at, std::size_t size) {
    const auto* byte = static_cast<const unsigned char*>(at);
    return byte >= begin() && size <= kShape.bytes() && byte + size <= begin() + kShape.bytes();
  }
  void forge(Word word, Extent extent) {
    std::memcpy(view().slots[0].payload, &extent, sizeof extent);
    view().slots[0].word.store(word.pack());
  }

  struct alignas(128) Line {
    unsigned char bytes[128] = {};
  };
  std::vector<Line> memory_;
  RingReceiver receiver_;
};

}  // namespace

TEST_F(Forged, NothingOutsideTheRingIsHandedUp) {
  std::mt19937_64 random(42);
  int good = 0, bad = 0, first = 0, next = 0;
  for (int i = 0; i < 400000; ++i) {
    const Word word{1, 0, static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()),
                    static_cast<Kind>(random() % 7)};
    const auto number = [&] {
      const std::uint32_t n = static_cast<std::uint32_t>(random());
      return random() % 2 ? n % 5000 : n;
    };
    forge(word, {number(), number()});
    btl::Message message;
    const RingReceiver::Look look = receiver_.look(message);
    if (look == RingReceiver::Look::kBroken) {
      ++bad;
      continue;
    }
    ++good;
    if (look == RingReceiver::Look::kFirst) ++first;
    if (look == RingReceiver::Look::kNext) ++next;
    ASSERT_TRUE(inside(message.data, message.size));
    if (look == RingReceiver::Look::kNext) continue;  // it has no header
    ASSERT_TRUE(inside(message.header, message.header_size));
    ASSERT_LE(message.header_size, btl::kMaxHeader);
  }
  EXPECT_GT(good, 1000);
  EXPECT_GT(first, 100);
  EXPECT_GT(next, 100);
  EXPECT_GT(bad, 1000);
}

TEST_F(Forged, ATailThatCannotBeIsNoNews) {
  RingSender sender;
  sender.open(view(), kShape);
  ASSERT_TRUE(sender.use_buffer());
  alignas(8) unsigned char header[16] = {};
  for (std::uint32_t i = 0; i < kShape.slots; ++i) {
    ASSERT_EQ(sender.put_small({header, 16, 1}, nullptr, 0), Put::kDone);
  }
  for (const std::uint64_t tail : {std::uint64_t{9}, ~std::uint64_t{0}, std::uint64_t{1} << 40}) {
    view().control->receiver.tail.store(tail);
    EXPECT_EQ(sender.put_small({header, 16, 1}, nullptr, 0), Put::kNoSlot);
  }
  view().control->receiver.tail.store(1);
  EXPECT_EQ(sender.put_small({header, 16, 1}, nullptr, 0), Put::kDone);
}

TEST(Blobs, OnlyWhatWasWrittenIsRead) {
  Blob blob;
  blob.pid = 123;
  blob.memory = 5;
  blob.doorbell = 6;
  blob.incarnation = 99;
  blob.rings = 4;
  blob.shape = kShape;
  blob.segment_size = segment_size(4, kShape);
  const std::string good = write_blob(blob);
  ASSERT_LE(good.size(), kMaxBlob);
  ASSERT_TRUE(read_blob(good.data(), good.size()));
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto cut = read_blob(good.data(), size);
    ASSERT_FALSE(cut) << size;
    ASSERT_NE(cut.error().text, "");
  }
  ASSERT_FALSE(read_blob((good + "x").data(), good.size() + 1));
  std::string newer = good;
  newer[4] = static_cast<char>(newer[4] + 1);
  EXPECT_EQ(read_blob(newer.data(), newer.size()).error().code, Errc::kVersion);
  std::mt19937 random(7);
  for (int i = 0; i < 100000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    const auto read = read_blob(bad.data(), bad.size());
    if (!read) continue;
    ASSERT_TRUE(read->shape.valid());
    ASSERT_EQ(read->segment_size, segment_size(read->rings, read->shape));
  }
}

}  // namespace hawser::shm
