// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <thread>
#include <vector>

#include "components/shm/assembly.hpp"
#include "components/shm/outbox.hpp"
#include "components/shm/ring_receiver.hpp"
#include "components/shm/segment.hpp"
#include "framework/base/spin_mutex.hpp"

// Messages longer than a piece, from outbox to handler, both ends in one process, so that a race detector
// sees the accesses meet. Small rings: every piece waits for room, and the buffer wraps all the time.

namespace hawser::shm {

namespace {

constexpr btl::Tag kTag = 9;

std::uint8_t byte_of(std::uint32_t number, std::size_t i) noexcept {
  return static_cast<std::uint8_t>(number * 31 + i * 7 + (i >> 8));
}

/// A message in two parts, with a short or the longest header; every third is asked to be placed.
struct Parcel {
  explicit Parcel(std::uint32_t number, std::size_t size) : bytes(size) {
    for (std::size_t i = 0; i < size; ++i) bytes[i] = byte_of(number, i);
    parts[0] = {bytes.data(), size / 3};
    parts[1] = {bytes.data() + size / 3, size - size / 3};
    std::memcpy(descriptor.header, &number, sizeof number);
    descriptor.header_size = number % 4 == 0 ? btl::kMaxHeader : 16;
    descriptor.tag = kTag;
    descriptor.data = parts;
    descriptor.data_count = 2;
    descriptor.data_size = size;
  }
  std::vector<std::uint8_t> bytes;
  iovec parts[2];
  btl::Descriptor descriptor;
};

/// What arrives, checked to the last byte.
struct Inbox {
  Inbox() {
    table.entries[kTag] = {
        [](void* self, const btl::Message& message) noexcept { static_cast<Inbox*>(self)->deliver(message); },
        [](void* self, const btl::Message& head, btl::Placement& out) noexcept {
          return static_cast<Inbox*>(self)->place(head, out);
        },
        [](void* self, const btl::Message&) noexcept { ++static_cast<Inbox*>(self)->abandoned; }, this};
  }
  void deliver(const btl::Message& message) {
    std::uint32_t number = 0;
    std::memcpy(&number, message.header, sizeof number);
    EXPECT_EQ(number, next++) << "lost, doubled or out of order";
    EXPECT_EQ(message.placed != nullptr, message.data == place_.data());
    const auto* data = static_cast<const std::uint8_t*>(message.data);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < message.size; ++i) wrong += data[i] != byte_of(number, i);
    EXPECT_EQ(wrong, 0u) << "of message " << number;
    bytes += message.size;
  }
  bool place(const btl::Message& head, btl::Placement& out) {
    std::uint32_t number = 0;
    std::memcpy(&number, head.header, sizeof number);
    if (number % 3 != 0) return false;
    place_.resize(head.size);
    out = {place_.data(), this};
    return true;
  }

  btl::HandlerTable table{};
  std::uint32_t next = 0;
  std::size_t bytes = 0;
  int abandoned = 0;

 private:
  std::vector<std::uint8_t> place_;
};

class Pieces : public testing::TestWithParam<RingShape> {
 protected:
  Pieces() : memory_(Mapping::map(file(), 0, shape_.bytes(), false)) {
    EXPECT_TRUE(memory_);
    const RingView view = RingView::at(memory_->base(), shape_);
    sender_.open(view, shape_);
    EXPECT_TRUE(sender_.use_buffer());
    receiver_.open(view, shape_);
  }
  int file() {
    fd_.reset(::memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(::ftruncate(fd_.get(), static_cast<off_t>(shape_.bytes())), 0);
    return fd_.get();
  }
  /// Takes what is there. False: nothing was.
  bool take() {
    btl::Message message;
    const auto look = receiver_.look(message);
    EXPECT_NE(look, RingReceiver::Look::kBroken);
    if (look == RingReceiver::Look::kEmpty) return receiver_.tell();
    if (look == RingReceiver::Look::kMessage) {
      inbox_.table.deliver(message);
    } else {
      if (look == RingReceiver::Look::kFirst) begin(message);
      EXPECT_TRUE(assembly_.add(message.data, message.size));
      if (assembly_.whole()) assembly_.deliver(inbox_.table);
    }
    receiver_.advance();
    return true;
  }
  void begin(btl::Message head) {
    assembly_.drop(inbox_.table);
    head.size = static_cast<std::size_t>(receiver_.total());
    EXPECT_TRUE(assembly_.begin(head, inbox_.table));
  }

  const RingShape shape_ = GetParam();
  Fd fd_;
  Result<Mapping> memory_;
  RingSender sender_;
  RingReceiver receiver_;
  Outbox outbox_;
  Assembly assembly_;
  Inbox inbox_;
};

}  // namespace

TEST_P(Pieces, WhatWaitsArrivesInOrderAndWhole) {
  constexpr std::uint32_t kCount = 300;
  std::vector<std::unique_ptr<Parcel>> parcels;
  std::size_t all = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::size_t size = i * 7919 % (i % 5 == 0 ? 40 : 5 * shape_.piece());
    parcels.push_back(std::make_unique<Parcel>(i, size));
    all += size;
  }
  std::uint32_t sent = 0;
  std::thread producer([&] {
    Fifo<btl::Descriptor> done;
    for (std::uint32_t posted = 0; sent < kCount;) {
      while (posted < kCount && outbox_.takes(parcels[posted]->descriptor.data_size)) {
        outbox_.push(parcels[posted++]->descriptor);
      }
      if (outbox_.pump(sender_, done) == 0) std::this_thread::yield();
      for (; done.pop_front(); ++sent) {
      }
    }
  });
  while (inbox_.next < kCount && !HasFailure()) {
    if (!take()) std::this_thread::yield();
  }
  if (HasFailure()) std::abort();  // the producer would wait for ever
  producer.join();
  EXPECT_EQ(sent, kCount);
  EXPECT_TRUE(outbox_.empty());
  EXPECT_EQ(inbox_.bytes, all);
}

TEST_P(Pieces, AtOnceMeansWholeOrNotAtAll) {
  const std::size_t size = shape_.max_at_once();
  std::uint32_t number = 0;
  for (int round = 0; round < 50; ++round) {
    // Any position of the buffer will do for the largest.
    Parcel large(number++, size - static_cast<std::size_t>(round) % 7);
    btl::Head head{large.descriptor.header, large.descriptor.header_size, kTag, round % 2 == 0};
    ASSERT_EQ(sender_.put_pieces(head, large.bytes.data(), large.bytes.size()), Put::kDone) << round;
    Parcel refused(number, size);
    head.bytes = refused.descriptor.header;
    while (sender_.put_pieces(head, refused.bytes.data(), size) == Put::kDone) {
      refused = Parcel(++number, size);
      head.bytes = refused.descriptor.header;
    }
    while (take()) {
    }
    ASSERT_EQ(inbox_.next, number) << "a refused message left a trace";
  }
}

TEST_P(Pieces, OneThatIsGivenUpHalfWayIsForgotten) {
  Parcel half(0, 20 * shape_.piece());
  Fifo<btl::Descriptor> done;
  outbox_.push(half.descriptor);
  ASSERT_GT(outbox_.pump(sender_, done), 0);
  ASSERT_FALSE(outbox_.empty());
  while (take()) {
  }
  EXPECT_EQ(outbox_.take_all().front(), &half.descriptor);
  Parcel next(0, 3 * shape_.piece());
  outbox_.push(next.descriptor);
  for (int i = 0; i < 10; ++i) {
    outbox_.pump(sender_, done);
    while (take()) {
    }
  }
  EXPECT_EQ(inbox_.next, 1u);
  EXPECT_EQ(inbox_.bytes, next.bytes.size());
  EXPECT_EQ(inbox_.abandoned, 1);
}

INSTANTIATE_TEST_SUITE_P(Rings, Pieces,
                         testing::Values(RingShape{4, 4096}, RingShape{8, 8192}, RingShape{64, 1024},
                                         RingShape{128, 262144}),
                         [](const auto& info) {
                           return std::to_string(info.param.slots) + "x" + std::to_string(info.param.buffer);
                         });

}  // namespace hawser::shm
